// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings: what is written is read again, and whatever else is read does no
 * harm: cut off anywhere, any bit wrong, and nonsense whose checksums are right.
 */
#include <stdio.h>
#include <stdlib.h>
#include "play.h"
#include "unit.h"
#include "variants.h"
#include "writer.h"

#define HEAD	"kernel 6.12\nnative random\n"
#define TAIL	"lost 3\nlevel 0 0 SMT\nlevel 0 1 MC\nlevel 7 1 PKG\n"

static const unsigned int cpus[] = { 7, 0, 8191 };

struct file {
	char *data;
	size_t size;
};

static struct event an_event(u64 *rnd, u64 *time, uint8_t depth)
{
	struct event e = { .depth = depth };

	*time += test_below(rnd, 3) ? test_below(rnd, 5000000) : 0;
	e.time = *time;
	e.cost = (uint32_t)odd_time(rnd);
	e.avg_idle = (uint32_t)odd_time(rnd);
	return e;
}

/* A pass as the recorder would write it. */
static size_t a_pass(u64 *rnd, u64 *time, struct event *e)
{
	size_t n = 0;
	uint8_t depth = 0;

	do {
		depth = (uint8_t)(depth + test_below(rnd, 3));
		e[n] = an_event(rnd, time, depth++);
	} while (++n < 4 && test_below(rnd, 4));
	e[0].flags |= EVENT_FIRST;
	if (!test_below(rnd, 3)) {
		e[n - 1].flags |= EVENT_PULLED;
	} else if (test_below(rnd, 5)) {
		e[n - 1].flags |= EVENT_IDLED;
		e[n - 1].idle = (uint32_t)odd_time(rnd);
	}
	return n;
}

/* All events in the order in which they were written, if the caller wants. */
static struct file a_file(u64 seed, int passes, struct event *all)
{
	struct file file = { 0 };
	FILE *f = open_memstream(&file.data, &file.size);
	static struct writer w;
	u64 rnd = seed, time[ARRAY_SIZE(cpus)] = { 1000, 0, 1 };
	struct event e[RECORDING_DEPTHS];
	size_t n, c;
	int i;

	assert_non_null(f);
	writer_begin(&w, f, HEAD);
	for (i = 0; i < passes; i++) {
		c = (size_t)i % ARRAY_SIZE(cpus);
		n = a_pass(&rnd, &time[c], e);
		writer_pass(&w, cpus[c], e, n);
		if (all) {
			memcpy(all, e, n * sizeof(*e));
			all += n;
		}
	}
	assert_true(writer_end(&w, TAIL));
	fclose(f);
	return file;
}

static bool parse(struct recording *r, const void *data, size_t size)
{
	/* A copy of its very size, so that one byte beyond it is noticed. */
	uint8_t *copy = malloc(size + !size);
	bool good;

	assert_non_null(copy);
	memcpy(copy, data, size);
	good = recording_parse(r, copy, size);
	free(copy);
	return good;
}

static struct cpu_events *cpu_of(struct recording *r, unsigned int number)
{
	size_t c;

	for (c = 0; c < r->nr_cpus; c++)
		if (r->cpu[c].number == number)
			return &r->cpu[c];
	fail();
	return NULL;
}

static void same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->cost, b->cost);
	assert_int_equal(a->avg_idle, b->avg_idle);
	assert_int_equal(a->idle, b->idle);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->flags, b->flags);
}

/* Enough for blocks to become full. */
#define MANY	30000

static void test_round(void **unused)
{
	struct event *all = calloc(MANY * 4, sizeof(*all));
	struct file file = a_file(1, MANY, all);
	size_t next[ARRAY_SIZE(cpus)] = { 0 }, i, c, total = 0;
	struct recording r;
	uint64_t lost;

	(void)unused;
	assert_true(parse(&r, file.data, file.size));
	assert_string_equal(r.damage, "");
	assert_string_equal(r.head, HEAD);
	assert_string_equal(r.tail, TAIL);
	assert_true(recording_number(&r, "lost", &lost));
	assert_int_equal(lost, 3);
	assert_int_equal(r.nr_cpus, 3);
	assert_string_equal(cpu_of(&r, 0)->name[1], "MC");
	assert_string_equal(cpu_of(&r, 7)->name[1], "PKG");
	assert_string_equal(cpu_of(&r, 7)->name[0], "");
	for (i = 0, c = 0; total < r.events; i++) {
		const struct cpu_events *cpu = cpu_of(&r, cpus[c]);

		same_event(&cpu->event[next[c]++], &all[i]);
		total++;
		if (next[c] == cpu->count || cpu->event[next[c]].flags & EVENT_FIRST)
			c = (c + 1) % ARRAY_SIZE(cpus);
	}
	assert_int_equal(i, total);
	recording_free(&r);
	free(file.data);
	free(all);
}

static void test_cut_off(void **unused)
{
	struct file file = a_file(2, 60, NULL);
	uint64_t before = 0;
	struct recording r;
	size_t size;

	(void)unused;
	for (size = 0; size < file.size; size++) {
		parse(&r, file.data, size);
		assert_string_not_equal(r.damage, "");
		/* What was whole stays. */
		assert_true(r.events >= before);
		before = r.events;
		recording_free(&r);
	}
	assert_true(before > 60);
	file.data = realloc(file.data, file.size + 1);
	file.data[file.size] = 0;
	assert_true(parse(&r, file.data, file.size + 1));
	assert_non_null(strstr(r.damage, "something follows its end"));
	recording_free(&r);
	free(file.data);
}

static void test_bits(void **unused)
{
	struct file file = a_file(3, 60, NULL);
	struct recording r;
	size_t bit;

	(void)unused;
	for (bit = 0; bit < 8 * file.size; bit++) {
		file.data[bit / 8] ^= (char)(1 << bit % 8);
		parse(&r, file.data, file.size);
		assert_string_not_equal(r.damage, "");
		recording_free(&r);
		file.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	free(file.data);
}

static u32 get32(const char *p)
{
	u32 value;

	memcpy(&value, p, 4);
	return value;
}

/* Put the checksums of all blocks right, as far as there are blocks. */
static void put_right(struct file *file)
{
	size_t at = 16, size;
	u32 crc;

	while (at + 12 <= file->size) {
		size = get32(file->data + at + 4);
		if (size > file->size - at - 12)
			return;
		crc = recording_crc((uint8_t *)file->data + at + 12, size);
		memcpy(file->data + at + 8, &crc, 4);
		at += 12 + size;
	}
}

static void spoil(struct file *file, u64 *rnd)
{
	static const u32 odd[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0xffffffff };
	u32 changes = 1 + test_below(rnd, 4), at, length;

	while (changes--) {
		at = 16 + test_below(rnd, (u32)file->size - 16);
		switch (test_below(rnd, 3)) {
		case 0:
			file->data[at] = (char)test_random(rnd);
			break;
		case 1:
			length = 1 + test_below(rnd, 10);
			if (at + length <= file->size)
				memset(file->data + at, test_below(rnd, 2) ? 0xff : 0x80, length);
			break;
		default:
			if (at + 4 <= file->size)
				memcpy(file->data + at, &odd[test_below(rnd, 7)], 4);
		}
	}
	put_right(file);
}

/* Without what follows the last events, whose numbers have no end. */
static void test_end(void **unused)
{
	struct file file = a_file(6, 30, NULL), copy = { 0 };
	size_t at = 16, last = 0, byte;
	struct recording r;

	(void)unused;
	while (memcmp(file.data + at, "TAIL", 4)) {
		last = at;
		at += 12 + get32(file.data + at + 4);
	}
	file.size = at;
	copy.data = malloc(file.size);
	for (byte = last + 12 + 16; byte < file.size; byte++) {
		/* Cut off there, or with nothing but numbers that go on. */
		memcpy(copy.data, file.data, file.size);
		copy.size = byte;
		memcpy(copy.data + last + 4, &(u32){ (u32)(byte - last - 12) }, 4);
		put_right(&copy);
		assert_true(parse(&r, copy.data, copy.size));
		assert_string_not_equal(r.damage, "");
		recording_free(&r);
		copy.size = file.size;
		memcpy(copy.data, file.data, file.size);
		memset(copy.data + byte, 0xff, file.size - byte);
		put_right(&copy);
		assert_true(parse(&r, copy.data, copy.size));
		assert_string_not_equal(r.damage, "");
		recording_free(&r);
	}
	free(copy.data);
	free(file.data);
}

/* Time stands still rather than go back. */
static void test_clock(void **unused)
{
	static const uint64_t times[] = { 1000, 500, 2000, 1999, 3000 };
	struct file file = { 0 };
	FILE *f = open_memstream(&file.data, &file.size);
	static struct writer w;
	struct recording r;
	size_t i;

	(void)unused;
	writer_begin(&w, f, HEAD);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		const struct event e = { .time = times[i], .flags = EVENT_FIRST };

		writer_pass(&w, 0, &e, 1);
	}
	assert_true(writer_end(&w, TAIL));
	fclose(f);
	assert_true(parse(&r, file.data, file.size));
	assert_string_equal(r.damage, "");
	assert_int_equal(r.cpu[0].event[1].time, 1000);
	assert_int_equal(r.cpu[0].event[3].time, 2000);
	assert_int_equal(r.cpu[0].event[4].time, 3000);
	recording_free(&r);
	free(file.data);
}

/* Played to everything, it may mean anything but trouble. */
static void play_all(struct recording *r, u64 *rnd)
{
	static const char *const words[] = {
		"policy=random,rate=1,retry=1,window=64",
		"policy=value,retry=1",
		"policy=bresenham,max_level=smt",
	};
	const struct assumed a = {
		.window = 1 + test_below(rnd, 9),
		.longest = 1 + test_below(rnd, 4000000) * 1000,
		.cost_limit = test_below(rnd, 4000000) * 1000,
		.cost_pct = 1 + test_below(rnd, 100000),
	};
	struct newidle_settings set;
	struct played p;
	struct model m;
	size_t i;

	model_prepare(&m, r, &a);
	assert_true(play_oracle(&m, &p));
	played_free(&p);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_null(variant_parse(words[i], NULL, 0, &set));
		assert_true(play_policy(&m, &set, 1, &p));
		played_free(&p);
	}
}

static void test_nonsense(void **unused)
{
	struct file file = a_file(4, 30, NULL), copy = { 0 };
	u64 rnd = 5, read = 0, whole = 0;
	struct recording r;
	int i;

	(void)unused;
	copy.data = malloc(file.size);
	for (i = 0; i < 20000; i++) {
		copy.size = file.size - (test_below(&rnd, 8) ? 0 : test_below(&rnd, 40));
		memcpy(copy.data, file.data, copy.size);
		spoil(&copy, &rnd);
		read += parse(&r, copy.data, copy.size);
		whole += !*r.damage;
		if (r.events)
			play_all(&r, &rnd);
		recording_free(&r);
	}
	/* Else this has tried nothing but the first checks. */
	assert_true(read > 15000);
	assert_true(whole > 1000);
	free(copy.data);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
