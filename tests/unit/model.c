// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second implementation of the policies, as plain as the documented formulas
 * read: wide integers, divisions, no shifts.  Both get the same events and the
 * same draws and must agree in every step.
 */
#include "unit.h"

/* Of random alone, half without the rate term. */
#define EVENTS 10000000

typedef unsigned __int128 wide;

struct model {
	wide calls, success, ratio, stamp, window;
	/* bresenham: all shares ever, in 1/1024 of an attempt */
	wide shares;
	/* value: its account in 1/100 ns; ns; decisions */
	wide credit, cost, skipped, patience;
};

static void model_init(struct model *m, const struct newidle_settings *set,
		       u64 now)
{
	m->window = set->window;
	m->calls = m->window / 2;
	m->success = m->window / 4;
	m->ratio = 512;
	m->stamp = now;
	m->shares = 0;
	m->credit = m->cost = m->skipped = m->patience = 0;
}

static wide least(wide a, wide b)
{
	return a < b ? a : b;
}

/* 1024 / w, rounded: the remainder decides */
static u32 rounded(wide w)
{
	return (u32)(1024 / w + (1024 % w * 2 >= w));
}

/* d: the next draw, used only if the policy asks for one. */
static bool model_decide(struct model *m, const struct newidle_settings *set,
			 u32 d, bool *drawn, u32 *weight)
{
	wide before = m->shares / 1024;

	*drawn = set->policy == NEWIDLE_RANDOM && m->ratio < 1024;
	*weight = 1;
	switch (set->policy) {
	case NEWIDLE_RANDOM:
		if (!*drawn)
			return true;
		*weight = rounded(1 + m->ratio);
		return d <= 1 + m->ratio;
	case NEWIDLE_BRESENHAM:
		*weight = rounded(1 + m->ratio);
		m->shares += least(m->ratio + 2, 1024);
		return m->shares / 1024 > before;
	case NEWIDLE_VALUE:
		if (m->cost > 0 && m->credit == 0) {
			m->skipped += 1;
			if (m->skipped < m->patience)
				return false;
		}
		m->skipped = 0;
		return true;
	default:
		return true;
	}
}

static void model_value(struct model *m, const struct newidle_settings *set,
			const struct newidle_outcome *o)
{
	const wide longest = ((wide)1 << 32) - 1;
	wide cost = least(o->cost, longest);
	wide spent = cost * set->value_cost_pct;
	wide idle = least(o->idle, longest);

	if (m->cost == 0) {
		m->cost = cost;
		m->credit = 256 * spent;
	} else {
		m->cost = m->cost - m->cost / 8 + cost / 8;
		if (m->cost == 0)
			m->cost = 1;
	}
	if (o->pulled)
		m->credit += 100 * idle;
	m->credit -= least(spent, m->credit);
	m->credit = least(m->credit, 2048 * m->cost * set->value_cost_pct);
	m->patience = idle > 64 * cost ? 16 : idle > 16 * cost ? 32 : 64;
}

static void model_ratio(struct model *m, const struct newidle_settings *set,
			const struct newidle_outcome *o)
{
	wide ratio, elapsed, power = 1;
	u32 i;

	if (m->window != set->window) {
		m->calls = m->calls * set->window / m->window;
		m->success = m->success * set->window / m->window;
		/* what was cut off may not leave more than all successes */
		m->success = least(m->success, m->calls * 1024);
		m->window = set->window;
	}
	m->calls += 1;
	m->success += o->pulled ? o->weight : 0;
	if (m->calls < m->window)
		return;
	ratio = m->success * 1024 / m->calls;
	if (set->rate) {
		elapsed = o->now > m->stamp ? o->now - m->stamp : 0;
		for (i = 0; i < set->rate_shift; i++)
			power *= 2;
		ratio += elapsed * 1024 / m->window / power;
	}
	m->ratio = least(ratio, 1024);
	m->stamp = o->now;
	m->calls /= 2;
	m->success /= 2;
}

static void model_account(struct model *m, const struct newidle_settings *set,
			  const struct newidle_outcome *o)
{
	if (o->tried && o->cost == 0)
		return;
	if (set->policy != NEWIDLE_VALUE)
		model_ratio(m, set, o);
	else if (o->tried)
		model_value(m, set, o);
}

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
