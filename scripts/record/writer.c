// SPDX-License-Identifier: GPL-2.0-only
/* Write a recording: see docs/recording.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "writer.h"

/* A block is closed when it has so much. */
#define BLOCK_FULL	65536

/* No event takes more: flags and four numbers. */
#define EVENT_MOST	(1 + 4 * 10)

/* What stands before the events in their block. */
#define EVENTS_HEAD	16

/**
 * struct lane - the block of one CPU
 * @data: what will be in it
 * @size: how much that is
 * @count: of events
 * @first: time of the first, ns
 * @last: and of the last
 */
struct lane {
	uint8_t data[BLOCK_FULL + RECORDING_DEPTHS * EVENT_MOST];
	size_t size;
	uint32_t count;
	uint64_t first, last;
};

static void put32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
	p[2] = (uint8_t)(value >> 16);
	p[3] = (uint8_t)(value >> 24);
}

static void put64(uint8_t *p, uint64_t value)
{
	put32(p, (uint32_t)value);
	put32(p + 4, (uint32_t)(value >> 32));
}

static void put_number(struct lane *l, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		l->data[l->size++] = (uint8_t)(value | 0x80);
	l->data[l->size++] = (uint8_t)value;
}

static void write_all(struct writer *w, const void *data, size_t size)
{
	if (!w->failed && size && fwrite(data, size, 1, w->f) != 1)
		w->failed = errno ? errno : EIO;
}

static void write_block(struct writer *w, uint32_t kind, const void *data,
			size_t size)
{
	uint8_t head[12];

	put32(head, kind);
	put32(head + 4, (uint32_t)size);
	put32(head + 8, recording_crc(data, size));
	write_all(w, head, sizeof(head));
	write_all(w, data, size);
}

/**
 * writer_begin() - begin a recording
 * @w: the writer
 * @f: where to; stays the caller's
 * @head: lines "KEY VALUE"
 */
void writer_begin(struct writer *w, FILE *f, const char *head)
{
	uint8_t begin[16];

	memset(w, 0, sizeof(*w));
	w->f = f;
	memcpy(begin, RECORDING_MAGIC, 8);
	put32(begin + 8, RECORDING_ORDER);
	put32(begin + 12, RECORDING_VERSION);
	write_all(w, begin, sizeof(begin));
	write_block(w, BLOCK_HEAD, head, strlen(head));
}

static void close_block(struct writer *w, unsigned int cpu)
{
	struct lane *l = w->lane[cpu];

	if (!l->count)
		return;
	put32(l->data, cpu);
	put32(l->data + 4, l->count);
	put64(l->data + 8, l->first);
	write_block(w, BLOCK_EVENTS, l->data, l->size);
	l->size = EVENTS_HEAD;
	l->count = 0;
}

static struct lane *open_lane(struct writer *w, unsigned int cpu)
{
	struct lane *l = w->lane[cpu];

	if (!l) {
		l = calloc(1, sizeof(*l));
		if (!l) {
			w->failed = ENOMEM;
			return NULL;
		}
		l->size = EVENTS_HEAD;
		w->lane[cpu] = l;
	}
	return l;
}

static void put_event(struct lane *l, const struct event *e)
{
	l->data[l->size++] = e->depth | e->flags;
	put_number(l, e->time - l->last);
	put_number(l, e->cost);
	put_number(l, e->avg_idle);
	if (e->flags & EVENT_IDLED)
		put_number(l, e->idle);
	l->last = e->time;
	l->count++;
}

/**
 * writer_pass() - write a pass; no block has a part of one
 * @w: the writer
 * @cpu: the CPU, below RECORDING_CPUS
 * @e: its attempts; only the first is marked EVENT_FIRST.  A clock that went
 *	backwards stands still.
 * @count: how many, 1 ... RECORDING_DEPTHS
 */
void writer_pass(struct writer *w, unsigned int cpu, const struct event *e,
		 size_t count)
{
	struct lane *l = open_lane(w, cpu);
	size_t i;

	if (!l)
		return;
	for (i = 0; i < count; i++) {
		struct event copy = e[i];

		if (copy.time < l->last)
			copy.time = l->last;
		if (!l->count)
			l->first = l->last = copy.time;
		put_event(l, &copy);
	}
	w->events += count;
	if (l->size >= BLOCK_FULL)
		close_block(w, cpu);
}

/**
 * writer_end() - end a recording
 * @w: the writer; its memory is given back
 * @tail: lines "KEY VALUE"
 *
 * Return: false if not all could be written; errno tells why.
 */
bool writer_end(struct writer *w, const char *tail)
{
	unsigned int cpu;

	for (cpu = 0; cpu < RECORDING_CPUS; cpu++) {
		if (!w->lane[cpu])
			continue;
		close_block(w, cpu);
		free(w->lane[cpu]);
		w->lane[cpu] = NULL;
	}
	write_block(w, BLOCK_TAIL, tail, strlen(tail));
	if (!w->failed && fflush(w->f))
		w->failed = errno;
	errno = w->failed;
	return !w->failed;
}
