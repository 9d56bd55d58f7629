// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policies against a second, plain implementation: both get the same events
 * and the same draws and must agree in every step.
 */
#include "plain.h"
#include "unit.h"

/* Of random alone, half without the rate term. */
#define EVENTS 10000000

struct pair {
	struct newidle_settings set;
	struct newidle_state st;
	struct newidle_rng rng;
	struct model m;
	u64 now, rnd;
	u64 attempts, windows;
};

#define AGREE(p, event, member, model)					\
	do {								\
		if ((p)->st.member != (model))				\
			fail_msg("event %u, policy %u: " #member " %lu, the model's %lu", \
				 event, (p)->set.policy, (u64)(p)->st.member, \
				 (u64)(model));				\
	} while (0)

static void assert_agree(const struct pair *p, u32 event)
{
	AGREE(p, event, calls, p->m.calls);
	AGREE(p, event, success, p->m.success);
	AGREE(p, event, ratio, p->m.ratio);
	AGREE(p, event, stamp, p->m.stamp);
	AGREE(p, event, window, p->m.window);
	AGREE(p, event, due, p->m.shares % 1024);
	AGREE(p, event, credit, p->m.credit);
	AGREE(p, event, cost, p->m.cost);
	AGREE(p, event, skipped, p->m.skipped);
	AGREE(p, event, patience, p->m.patience);
}

/* One CPU newly idle, and what comes of it. */
static void one_event(struct pair *p, u32 event, u32 pull_percent)
{
	struct newidle_outcome o = { .now = p->now };
	struct newidle_rng peek = p->rng;
	u32 d = newidle_rng_draw(&peek), model_weight, before;
	bool drawn, model_tries;

	o.tried = newidle_decide(&p->set, &p->st, &p->rng, &o.weight);
	model_tries = model_decide(&p->m, &p->set, d, &drawn, &model_weight);
	assert_int_equal(o.tried, model_tries);
	assert_int_equal(p->rng.s == peek.s, drawn);
	before = p->st.calls;
	if (o.tried) {
		assert_int_equal(o.weight, model_weight);
		o.pulled = test_below(&p->rnd, 100) < pull_percent;
		o.cost = test_below(&p->rnd, 50) ? test_below(&p->rnd, 100000) : 0;
		o.idle = test_below(&p->rnd, 1000000);
		if (!test_below(&p->rnd, 1000))
			o.cost = odd_time(&p->rnd);
		if (!test_below(&p->rnd, 1000))
			o.idle = odd_time(&p->rnd);
		p->attempts++;
	}
	newidle_account(&p->st, &p->set, &o);
	model_account(&p->m, &p->set, &o);
	p->windows += p->st.calls < before;
	assert_agree(p, event);
}

static void begin(struct pair *p, const struct newidle_settings *set, u64 seed)
{
	memset(p, 0, sizeof(*p));
	p->set = *set;
	p->now = START;
	p->rnd = seed;
	newidle_rng_seed(&p->rng, seed);
	newidle_state_init(&p->st, &p->set, 0, p->now);
	model_init(&p->m, &p->set, p->now);
	assert_agree(p, 0);
}

/* As a machine runs: settings stay, time goes on, luck changes slowly. */
static void steady(const struct newidle_settings *set, u64 seed, u32 events,
		   struct pair *p)
{
	u32 i, percent = 0, period = 1000000;

	begin(p, set, seed);
	for (i = 1; i <= events; i++) {
		if (i % 20000 == 0) {
			percent = test_below(&p->rnd, 101);
			period = 10000 + test_below(&p->rnd, 10000000);
		}
		p->now += test_below(&p->rnd, 2 * period);
		one_event(p, i, percent);
	}
	assert_true(p->attempts > 1000 && p->attempts < events);
}

static void steady_random(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct pair p;

	(void)unused;
	for (set.rate = 0; set.rate <= 1; set.rate++) {
		steady(&set, 11 + set.rate, EVENTS / 2, &p);
		assert_true(p.windows > EVENTS / 2 / 1024);
	}
}

static void steady_bresenham(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct pair p;

	(void)unused;
	set.policy = NEWIDLE_BRESENHAM;
	for (set.rate = 0; set.rate <= 1; set.rate++) {
		steady(&set, 21 + set.rate, EVENTS / 20, &p);
		assert_true(p.windows > EVENTS / 20 / 1024);
	}
}

static void steady_value(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct pair p;

	(void)unused;
	set.policy = NEWIDLE_VALUE;
	for (set.value_cost_pct = 1; set.value_cost_pct <= 10000;
	     set.value_cost_pct *= 100) {
		steady(&set, 31 + set.value_cost_pct, EVENTS / 20, &p);
		assert_int_equal(p.windows, 0);
	}
}

static void turn_a_knob(struct pair *p)
{
	switch (test_below(&p->rnd, 5)) {
	case 0:
		p->set.policy = test_below(&p->rnd, NEWIDLE_NR_POLICIES);
		break;
	case 1:
		p->set.rate = test_below(&p->rnd, 2);
		break;
	case 2:
		p->set.rate_shift = 16 + test_below(&p->rnd, 34 - 16 + 1);
		break;
	case 3:
		p->set.window = 64U << test_below(&p->rnd, 11);
		break;
	case 4:
		p->set.value_cost_pct = 1 + test_below(&p->rnd, 10000);
		break;
	}
}

/* Somebody plays with all knobs, and the clock jumps both ways. */
static void wild(void **unused)
{
	u32 i, percent = 50, every;
	struct pair p;

	(void)unused;
	for (every = 10; every <= 10000; every *= 10) {
		begin(&p, &newidle_defaults, every);
		for (i = 1; i <= EVENTS / 12; i++) {
			if (!test_below(&p.rnd, every))
				turn_a_knob(&p);
			if (!test_below(&p.rnd, every))
				percent = test_below(&p.rnd, 101);
			if (!test_below(&p.rnd, 1000))
				p.now = odd_time(&p.rnd);
			else
				p.now += test_below(&p.rnd, 3000000);
			one_event(&p, i, percent);
		}
		assert_true(p.windows > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_random),
		cmocka_unit_test(steady_bresenham),
		cmocka_unit_test(steady_value),
		cmocka_unit_test(wild),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
