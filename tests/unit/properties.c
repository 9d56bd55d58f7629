// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold after any sequence of events, knobs and clocks.  The
 * sanitizers this is built with see overflows and shifts out of range.
 */
#include "unit.h"

#define EVENTS	300000
#define RUNS	8

struct run {
	struct newidle_settings set;
	struct newidle_state st;
	struct newidle_rng rng;
	u64 now, rnd, seed;
	u32 event;
};

#define HOLDS(r, condition)						\
	do {								\
		if (!(condition))					\
			fail_msg("seed %lu event %u: not true: %s",	\
				 (r)->seed, (r)->event, #condition);	\
	} while (0)

static void odd_settings(struct run *r)
{
	const u32 shifts = NEWIDLE_RATE_SHIFT_MAX - NEWIDLE_RATE_SHIFT_MIN + 1;
	static const u32 windows[] = {
		NEWIDLE_WINDOW_MIN, 128, NEWIDLE_WINDOW_DEFAULT, NEWIDLE_WINDOW_MAX
	};

	r->set.policy = test_below(&r->rnd, NEWIDLE_NR_POLICIES);
	r->set.rate = test_below(&r->rnd, 2);
	r->set.rate_shift = NEWIDLE_RATE_SHIFT_MIN +
			    test_below(&r->rnd, shifts);
	r->set.value_cost_pct = 1 + test_below(&r->rnd, NEWIDLE_COST_PCT_MAX);
	r->set.window = windows[test_below(&r->rnd, ARRAY_SIZE(windows))];
}

static void assert_bounds(const struct run *r)
{
	const struct newidle_state *st = &r->st;

	HOLDS(r, st->ratio <= 1024);
	HOLDS(r, st->calls < st->window);
	HOLDS(r, st->success <= (u64)st->window * 1024);
	HOLDS(r, st->window >= NEWIDLE_WINDOW_MIN);
	HOLDS(r, st->window <= NEWIDLE_WINDOW_MAX);
	HOLDS(r, st->due < 1024);
	HOLDS(r, st->skipped < 64);
	HOLDS(r, st->credit <= 1ULL << 57);
	HOLDS(r, st->cost || !st->credit);
	HOLDS(r, r->rng.s != 0);
}

/* Each policy has members of its own. */
static bool same_window(const struct newidle_state *a,
			const struct newidle_state *b)
{
	return a->calls == b->calls && a->success == b->success &&
	       a->ratio == b->ratio && a->stamp == b->stamp &&
	       a->window == b->window;
}

static bool same_credit(const struct newidle_state *a,
			const struct newidle_state *b)
{
	return a->credit == b->credit && a->cost == b->cost &&
	       a->patience == b->patience;
}

/* Between two ends of a window nothing but the two counts moves. */
static void assert_step(const struct run *r, const struct newidle_state *old)
{
	const struct newidle_state *st = &r->st;

	if (r->set.policy == NEWIDLE_VALUE) {
		HOLDS(r, same_window(st, old));
		return;
	}
	HOLDS(r, same_credit(st, old));
	HOLDS(r, st->window == r->set.window);
	if (st->window != old->window)
		return;
	if (st->calls == old->calls + 1) {
		HOLDS(r, st->ratio == old->ratio);
		HOLDS(r, st->stamp == old->stamp);
		HOLDS(r, st->success - old->success <= 1024);
	} else {
		HOLDS(r, old->calls + 1 == old->window);
		HOLDS(r, st->calls == st->window / 2);
		HOLDS(r, st->stamp == r->now);
	}
}

/* Deciding books nothing: that comes with the outcome. */
static void assert_decision(const struct run *r, const struct newidle_state *old,
			    bool try, u32 weight)
{
	const struct newidle_state *st = &r->st;
	const u32 policy = r->set.policy;

	HOLDS(r, same_window(st, old) && same_credit(st, old));
	HOLDS(r, st->due == old->due || policy == NEWIDLE_BRESENHAM);
	HOLDS(r, st->skipped == old->skipped || policy == NEWIDLE_VALUE);
	HOLDS(r, weight >= 1 && weight <= 1024);
	if (policy == NEWIDLE_VALUE) {
		HOLDS(r, try || !old->credit);
		HOLDS(r, weight == 1);
		return;
	}
	HOLDS(r, try || policy == NEWIDLE_RANDOM || policy == NEWIDLE_BRESENHAM);
	HOLDS(r, try || old->ratio < 1022);
	HOLDS(r, weight == 1 || (policy >= NEWIDLE_RANDOM && old->ratio < 1024));
}

static void one_event(struct run *r, u32 luck)
{
	struct newidle_state old = r->st;
	struct newidle_outcome o = { .now = r->now };

	o.tried = newidle_decide(&r->set, &r->st, &r->rng, &o.weight);
	assert_decision(r, &old, o.tried, o.weight);
	old = r->st;
	if (o.tried) {
		o.pulled = test_below(&r->rnd, 100) < luck;
		o.cost = odd_time(&r->rnd) | 1;
		o.idle = odd_time(&r->rnd);
		if (!test_below(&r->rnd, 100))
			o.cost = 0;
	}
	newidle_account(&r->st, &r->set, &o);
	if (o.tried && !o.cost) {
		HOLDS(r, !memcmp(&old, &r->st, sizeof(old)));
		return;
	}
	assert_step(r, &old);
	assert_bounds(r);
}

static void begin(struct run *r, u64 seed)
{
	memset(r, 0, sizeof(*r));
	r->seed = seed;
	r->rnd = seed;
	odd_settings(r);
	r->now = odd_time(&r->rnd);
	newidle_rng_seed(&r->rng, seed);
	newidle_state_init(&r->st, &r->set, (int)test_below(&r->rnd, 8192), r->now);
	assert_bounds(r);
}

/* knob_every, jump_every: one event in so many changes knobs or the clock. */
static void play(u32 knob_every, u32 jump_every)
{
	struct run r;
	u64 seed;

	for (seed = 1; seed <= RUNS; seed++) {
		u32 luck = (u32)(seed - 1) * 100 / (RUNS - 1);

		begin(&r, seed);
		for (r.event = 1; r.event <= EVENTS; r.event++) {
			if (!test_below(&r.rnd, knob_every))
				odd_settings(&r);
			if (!test_below(&r.rnd, jump_every))
				r.now = odd_time(&r.rnd);
			else
				r.now += test_below(&r.rnd, 1000000);
			one_event(&r, luck);
		}
	}
}

static void knobs_at_every_event(void **unused)
{
	(void)unused;
	play(1, 2);
}

static void knobs_now_and_then(void **unused)
{
	(void)unused;
	play(700, 50);
}

static void knobs_seldom(void **unused)
{
	(void)unused;
	play(100000, 10000);
}

/* The heaviest successes for ever: a ratio of 0 and pulls that all succeed. */
static void heaviest_successes(void **unused)
{
	struct run r;

	(void)unused;
	begin(&r, 1);
	for (r.event = 1; r.event <= EVENTS; r.event++) {
		if (r.event % 1000 == 0)
			odd_settings(&r);
		if (r.set.policy == NEWIDLE_VALUE)
			r.set.policy = NEWIDLE_RANDOM;
		account(&r.st, &r.set, 1024, odd_time(&r.rnd));
		assert_bounds(&r);
		r.st.ratio = 0;
	}
}

/* One success more never makes the ratio smaller, nor does a longer window. */
static void more_luck_never_hurts(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct newidle_state a, b;
	u64 rnd = 9, now = START;
	u32 i, round, extra;

	(void)unused;
	for (round = 0; round < 200; round++) {
		set.rate = round % 2;
		state_init(&a, &set, now);
		b = a;
		extra = test_below(&rnd, 4096);
		for (i = 0; i < 4096; i++) {
			u32 weight = test_below(&rnd, 8) ? 0 : 1 + test_below(&rnd, 9);

			now += test_below(&rnd, 3000000);
			account(&a, &set, weight, now);
			account(&b, &set, weight + (i == extra),
				now + test_below(&rnd, 2));
			assert_true(b.ratio + 1 >= a.ratio);
			assert_true(b.success >= a.success);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knobs_at_every_event),
		cmocka_unit_test(knobs_now_and_then),
		cmocka_unit_test(knobs_seldom),
		cmocka_unit_test(heaviest_successes),
		cmocka_unit_test(more_luck_never_hurts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
