// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a recording: see docs/recording.md.
 *
 * Whatever is in the file, nothing beyond it is read and nothing is believed
 * that does not fit: what is whole before the first fault is kept, and the fault
 * is told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recording.h"

#define FILE_HEAD	16
#define BLOCK_HEAD_SIZE	12
#define EVENTS_HEAD	16

/* The least that an event takes: flags and three numbers. */
#define EVENT_LEAST	4

/* No machine runs for so long, ns; sums of times stay within 64 bits. */
#define TIME_MAX	(1ULL << 62)

struct reader {
	const uint8_t *at, *end;
};

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/* Seven bits a byte, lowest first; the top bit says that more follow. */
static bool get_number(struct reader *r, uint64_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (r->at == r->end)
			return false;
		byte = *r->at++;
		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool get_time(struct reader *r, uint32_t *ns)
{
	uint64_t value;

	if (!get_number(r, &value))
		return false;
	*ns = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	return true;
}

/**
 * recording_crc() - the checksum of a block, CRC-32 as in zlib
 * @data: what to sum up
 * @size: its length
 *
 * Return: the sum.
 */
uint32_t recording_crc(const uint8_t *data, size_t size)
{
	static uint32_t table[256];
	uint32_t crc = UINT32_MAX, c, n, k;

	if (!table[1]) {
		for (n = 0; n < 256; n++) {
			for (c = n, k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ 0xedb88320U : c >> 1;
			table[n] = c;
		}
	}
	while (size--)
		crc = table[(crc ^ *data++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static struct cpu_events *find_cpu(struct recording *r, uint32_t number)
{
	struct cpu_events *cpu;
	size_t i;

	for (i = 0; i < r->nr_cpus && r->cpu[i].number < number; i++)
		;
	if (i < r->nr_cpus && r->cpu[i].number == number)
		return &r->cpu[i];
	cpu = realloc(r->cpu, (r->nr_cpus + 1) * sizeof(*cpu));
	if (!cpu)
		return NULL;
	r->cpu = cpu;
	memmove(&cpu[i + 1], &cpu[i], (r->nr_cpus - i) * sizeof(*cpu));
	r->nr_cpus++;
	cpu[i] = (struct cpu_events){ .number = number };
	return &cpu[i];
}

static bool make_room(struct cpu_events *cpu, size_t more)
{
	struct event *event;
	size_t room = cpu->room;

	if (more <= room - cpu->count)
		return true;
	room = cpu->count + more + room / 2;
	event = realloc(cpu->event, room * sizeof(*event));
	if (!event)
		return false;
	cpu->event = event;
	cpu->room = room;
	return true;
}

/* Is this what can follow, in a block that begins with a pass? */
static bool fits(const struct event *e, const struct event *before)
{
	if (e->flags & EVENT_FIRST)
		return true;
	return before && !(before->flags & (EVENT_PULLED | EVENT_IDLED)) &&
	       e->depth > before->depth;
}

static bool get_event(struct reader *r, uint64_t *time, struct event *e)
{
	uint64_t since;
	uint8_t byte;

	if (r->at == r->end)
		return false;
	byte = *r->at++;
	e->depth = byte & 0xf;
	e->flags = byte & 0xf0;
	if (e->flags & ~(EVENT_PULLED | EVENT_FIRST | EVENT_IDLED))
		return false;
	if (!get_number(r, &since) || since > TIME_MAX - *time ||
	    !get_time(r, &e->cost) || !get_time(r, &e->avg_idle))
		return false;
	*time += since;
	e->time = *time;
	e->idle = 0;
	return !(e->flags & EVENT_IDLED) || get_time(r, &e->idle);
}

/* NULL, or what is wrong with a block of events; then none of it is kept. */
static const char *read_events(struct recording *r, struct reader block)
{
	const struct event *before = NULL;
	uint32_t number, count, i;
	struct cpu_events *cpu;
	uint64_t time;
	unsigned int depths;

	if (block.end - block.at < EVENTS_HEAD)
		return "a block of events is too short";
	number = get32(block.at);
	count = get32(block.at + 4);
	time = get64(block.at + 8);
	block.at += EVENTS_HEAD;
	if (number >= RECORDING_CPUS)
		return "a CPU's number is too high";
	if (time > TIME_MAX)
		return "a time is too high";
	if (count > (block.end - block.at) / EVENT_LEAST)
		return "a block has fewer events than it says";
	cpu = find_cpu(r, number);
	if (!cpu || !make_room(cpu, count))
		return "not enough memory";
	if (cpu->count && time < cpu->event[cpu->count - 1].time)
		return "time goes backwards";
	depths = cpu->depths;
	for (i = 0; i < count; i++) {
		struct event *e = &cpu->event[cpu->count + i];

		if (!get_event(&block, &time, e) || !fits(e, before))
			return "an event is malformed";
		if (e->depth >= depths)
			depths = e->depth + 1U;
		before = e;
	}
	if (block.at != block.end)
		return "a block has more than its events";
	if (!count)
		return NULL;
	cpu->count += count;
	cpu->depths = depths;
	r->events += count;
	return NULL;
}

/* Text is for terminals: nothing but what can be printed. */
static char *read_text(struct reader block)
{
	size_t size = (size_t)(block.end - block.at), i;
	char *text = malloc(size + 1);

	if (!text)
		return NULL;
	for (i = 0; i < size; i++) {
		const uint8_t c = block.at[i];

		text[i] = c == '\n' || (c >= ' ' && c < 0x7f) ? (char)c : '?';
	}
	text[size] = '\0';
	return text;
}

/* The next block, if it is whole; NULL, or what is wrong. */
static const char *next_block(struct reader *file, uint32_t *kind,
			      struct reader *block)
{
	uint32_t size, crc;

	if (file->end - file->at < BLOCK_HEAD_SIZE)
		return "it is cut off";
	*kind = get32(file->at);
	size = get32(file->at + 4);
	crc = get32(file->at + 8);
	if (size > (size_t)(file->end - file->at) - BLOCK_HEAD_SIZE)
		return "it is cut off";
	block->at = file->at + BLOCK_HEAD_SIZE;
	block->end = block->at + size;
	if (recording_crc(block->at, size) != crc)
		return "a checksum is wrong";
	file->at = block->end;
	return NULL;
}

static const char *read_block(struct recording *r, uint32_t kind,
			      struct reader block)
{
	if (!r->head) {
		if (kind != BLOCK_HEAD)
			return "it has no head";
		r->head = read_text(block);
		return r->head ? NULL : "not enough memory";
	}
	switch (kind) {
	case BLOCK_EVENTS:
		return read_events(r, block);
	case BLOCK_TAIL:
		r->tail = read_text(block);
		return r->tail ? NULL : "not enough memory";
	default:
		return "a block is of an unknown kind";
	}
}

static const char *check_file_head(struct reader *file)
{
	if (file->end - file->at < FILE_HEAD ||
	    memcmp(file->at, RECORDING_MAGIC, 8))
		return "it is no recording of newidle";
	if (get32(file->at + 8) != RECORDING_ORDER)
		return "it was written on a machine of another byte order";
	if (get32(file->at + 12) != RECORDING_VERSION)
		return "it is of a version that is not known here";
	file->at += FILE_HEAD;
	return NULL;
}

/* "level CPU DEPTH NAME" in the tail. */
static void name_levels(struct recording *r)
{
	unsigned int number, depth;
	char name[RECORDING_NAME + 1];
	const char *line;
	size_t i;

	for (line = r->tail; line; line = recording_line(line)) {
		if (sscanf(line, "level %u %u %8s", &number, &depth, name) != 3 ||
		    depth >= RECORDING_DEPTHS)
			continue;
		for (i = 0; i < r->nr_cpus; i++)
			if (r->cpu[i].number == number)
				memcpy(r->cpu[i].name[depth], name, sizeof(name));
	}
}

static void find_ends(struct recording *r)
{
	size_t i;

	r->begin = UINT64_MAX;
	for (i = 0; i < r->nr_cpus; i++) {
		const struct cpu_events *cpu = &r->cpu[i];

		if (!cpu->count)
			continue;
		if (cpu->event[0].time < r->begin)
			r->begin = cpu->event[0].time;
		if (cpu->event[cpu->count - 1].time > r->end)
			r->end = cpu->event[cpu->count - 1].time;
	}
	if (!r->events)
		r->begin = r->end;
}

/**
 * recording_parse() - read a recording that is in memory
 * @r: filled; to be freed with recording_free(), whatever comes of it
 * @data: the file
 * @size: its length
 *
 * Return: false if there is nothing in it that could be used; @r->damage says
 * why, and also what is wrong behind the part that is returned.
 */
bool recording_parse(struct recording *r, const uint8_t *data, size_t size)
{
	struct reader file = { data, data + size }, block;
	const uint8_t *begin = data;
	const char *why;
	uint32_t kind;

	memset(r, 0, sizeof(*r));
	why = check_file_head(&file);
	while (!why && !r->tail) {
		begin = file.at;
		why = next_block(&file, &kind, &block);
		if (!why)
			why = read_block(r, kind, block);
	}
	if (!why && file.at != file.end) {
		begin = file.at;
		why = "something follows its end";
	}
	if (why)
		snprintf(r->damage, sizeof(r->damage), "%s, at byte %zu", why,
			 (size_t)(begin - data));
	name_levels(r);
	find_ends(r);
	return r->head;
}
