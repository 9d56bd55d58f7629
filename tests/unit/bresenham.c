// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy bresenham: the same share of attempts as random, (ratio + 2) of 1024,
 * with the same weights, but evenly spread and without dice.
 */
#include "unit.h"

struct one {
	struct newidle_settings set;
	struct newidle_state st;
	struct newidle_rng rng;
};

static struct one on_cpu(int cpu)
{
	struct one b = { .set = plain_random() };

	b.set.policy = NEWIDLE_BRESENHAM;
	newidle_state_init(&b.st, &b.set, cpu, START);
	newidle_rng_seed(&b.rng, 1);
	return b;
}

static bool decides(struct one *b)
{
	u32 weight;

	return newidle_decide(&b->set, &b->st, &b->rng, &weight);
}

static u32 share_of(u32 ratio)
{
	return ratio + 2 < 1024 ? ratio + 2 : 1024;
}

/* Decisions as they come: attempts so far, and the distances between them. */
struct watch {
	u32 decisions, attempts, last, shortest, longest;
};

static void look(struct watch *w, bool tried)
{
	u32 gap;

	w->decisions++;
	if (!tried)
		return;
	gap = w->decisions - w->last;
	/* the first one is counted from where we began to look */
	if (w->attempts && gap < w->shortest)
		w->shortest = gap;
	if (gap > w->longest)
		w->longest = gap;
	w->attempts++;
	w->last = w->decisions;
}

static void even_at(u32 ratio, int cpu)
{
	const u32 share = share_of(ratio);
	const u32 longest = (1024 + share - 1) / share;
	static bool tried[3 * 1024];
	struct one b = on_cpu(cpu);
	struct watch w = { .shortest = UINT32_MAX };
	u32 i, in_window = 0;

	b.st.ratio = ratio;
	for (i = 0; i < ARRAY_SIZE(tried); i++) {
		tried[i] = decides(&b);
		look(&w, tried[i]);
		in_window += tried[i];
		if (i >= 1024)
			in_window -= tried[i - 1024];
		if (i >= 1023 && (in_window + 1 < share || in_window > share + 1))
			fail_msg("ratio %u: %u attempts in 1024 from %u on, not %u",
				 ratio, in_window, i - 1023, share);
	}
	if (w.longest > longest || w.longest - w.shortest > 1)
		fail_msg("ratio %u: %u to %u decisions from attempt to attempt",
			 ratio, w.shortest, w.longest);
}

static void even_at_every_ratio(void **unused)
{
	u32 ratio;

	(void)unused;
	for (ratio = 0; ratio <= 1024; ratio++) {
		even_at(ratio, 0);
		even_at(ratio, 1);
		even_at(ratio, (int)ratio * 7 + 5);
	}
}

/* Where a CPU with nothing but failures makes its attempts. */
static u32 first_attempt(int cpu)
{
	struct one b = on_cpu(cpu);
	u32 n = 1;

	b.st.ratio = 0;
	while (!decides(&b) && n < 2000)
		n++;
	return n;
}

/* Two CPUs in 1024 have the same one of the 512 phases that matter at ratio 0. */
static void cpus_differ(void **unused)
{
	u32 at[1024] = { 0 };
	int cpu, other;

	(void)unused;
	for (cpu = 0; cpu < 1024; cpu++) {
		u32 n = first_attempt(cpu);

		assert_in_range(n, 1, 512);
		assert_true(++at[n] <= 2);
	}
	/* and a few of them are far from each other */
	for (cpu = 0; cpu < 8; cpu++) {
		for (other = 0; other < cpu; other++) {
			int d = (int)first_attempt(cpu) - (int)first_attempt(other);

			assert_true(d * d >= 30 * 30);
		}
	}
}

/* Whatever the ratio does, no attempt is lost and none is made twice. */
static void ratio_changes(void **unused)
{
	struct one b = on_cpu(3);
	u64 rnd = 5, due = b.st.due, attempts = 0;
	u32 i;

	(void)unused;
	for (i = 0; i < 1000000; i++) {
		if (!test_below(&rnd, 50))
			b.st.ratio = test_below(&rnd, 1025);
		due += share_of(b.st.ratio);
		attempts += decides(&b);
		assert_true(b.st.due < 1024);
		assert_int_equal(attempts, due / 1024);
	}
}

static void weighs_as_random(void **unused)
{
	struct one b = on_cpu(0), r = on_cpu(0);
	u32 ratio, weight, random_weight;

	(void)unused;
	r.set.policy = NEWIDLE_RANDOM;
	for (ratio = 0; ratio <= 1024; ratio++) {
		b.st.ratio = r.st.ratio = ratio;
		while (!newidle_decide(&b.set, &b.st, &b.rng, &weight))
			;
		while (!newidle_decide(&r.set, &r.st, &r.rng, &random_weight))
			;
		assert_int_equal(weight, random_weight);
	}
}

static void without_dice(void **unused)
{
	struct one b = on_cpu(0);
	const struct newidle_rng before = b.rng;
	u32 i;

	(void)unused;
	for (i = 0; i < 5000; i++)
		decides(&b);
	assert_int_equal(b.rng.s, before.s);
}

/* Failing for ever at 2000 a second: 119 a second, in step with its ratio. */
static void with_rate(void **unused)
{
	struct one b = on_cpu(0);
	struct watch w = { .shortest = UINT32_MAX };
	u64 now = START;
	u32 i;

	(void)unused;
	b.set.rate = 1;
	for (i = 0; i < 40000; i++) {
		bool tried = decides(&b);

		now += 500000;
		account_attempt(&b.st, &b.set, false, 1, 1, now);
		/* 256 ms >> 22 */
		if (i < 20000)
			continue;
		assert_int_equal(b.st.ratio, 61);
		look(&w, tried);
	}
	assert_in_range(w.attempts, 20000 * 63 / 1024, 20000 * 63 / 1024 + 1);
	assert_in_range(w.longest, w.shortest, w.shortest + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_at_every_ratio),
		cmocka_unit_test(cpus_differ),
		cmocka_unit_test(ratio_changes),
		cmocka_unit_test(weighs_as_random),
		cmocka_unit_test(without_dice),
		cmocka_unit_test(with_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
