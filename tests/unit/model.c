// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second implementation of the policies, as plain as the documented formulas
 * read: wide integers, divisions, no shifts.  Both get the same events and the
 * same draws and must agree in every step.
 */
#include "unit.h"

#define EVENTS 3000000

typedef unsigned __int128 wide;

struct model {
	wide calls, success, ratio, stamp, window;
};

static void model_init(struct model *m, const struct newidle_settings *set,
		       u64 now)
{
	m->window = set->window;
	m->calls = m->window / 2;
	m->success = m->window / 4;
	m->ratio = 512;
	m->stamp = now;
}

/* d: the next draw, used only if the policy asks for one. */
static bool model_decide(const struct model *m,
			 const struct newidle_settings *set, u32 d, bool *drawn,
			 u32 *weight)
{
	wide w = 1 + m->ratio;

	*drawn = false;
	*weight = 1;
	if (set->policy == NEWIDLE_STOCK || set->policy == NEWIDLE_ALWAYS)
		return true;
	if (m->ratio >= 1024)
		return true;
	*drawn = true;
	if (d > w)
		return false;
	/* 1024 / w, rounded: the remainder decides */
	*weight = (u32)(1024 / w);
	if (1024 % w * 2 >= w)
		++*weight;
	return true;
}

static void model_account(struct model *m, const struct newidle_settings *set,
			  u32 success, u64 now)
{
	wide ratio, elapsed, power = 1;
	u32 i;

	if (m->window != set->window) {
		m->calls = m->calls * set->window / m->window;
		m->success = m->success * set->window / m->window;
		/* what was cut off may not leave more than all successes */
		if (m->success > m->calls * 1024)
			m->success = m->calls * 1024;
		m->window = set->window;
	}
	m->calls += 1;
	m->success += success;
	if (m->calls < m->window)
		return;
	ratio = m->success * 1024 / m->calls;
	if (set->rate) {
		elapsed = now > m->stamp ? now - m->stamp : 0;
		for (i = 0; i < set->rate_shift; i++)
			power *= 2;
		ratio += elapsed * 1024 / m->window / power;
	}
	m->ratio = ratio > 1024 ? 1024 : ratio;
	m->stamp = now;
	m->calls /= 2;
	m->success /= 2;
}

struct pair {
	struct newidle_settings set;
	struct newidle_state st;
	struct newidle_rng rng;
	struct model m;
	u64 now, rnd;
	u64 attempts, windows;
};

static void assert_agree(const struct pair *p, u32 event)
{
	if (p->st.calls != p->m.calls || p->st.success != p->m.success ||
	    p->st.ratio != p->m.ratio || p->st.stamp != p->m.stamp ||
	    p->st.window != p->m.window)
		fail_msg("event %u: calls %u/%lu success %lu/%lu ratio %u/%lu stamp %lu/%lu window %u/%lu",
			 event, p->st.calls, (u64)p->m.calls, p->st.success,
			 (u64)p->m.success, p->st.ratio, (u64)p->m.ratio,
			 p->st.stamp, (u64)p->m.stamp, p->st.window,
			 (u64)p->m.window);
}

/* One CPU newly idle, and what comes of it. */
static void one_event(struct pair *p, u32 event, u32 pull_percent)
{
	struct newidle_rng peek = p->rng;
	u32 d = newidle_rng_draw(&peek), weight, model_weight, before;
	bool try, drawn, pulled;
	u64 cost;

	try = newidle_decide(&p->set, &p->st, &p->rng, &weight);
	assert_int_equal(try, model_decide(&p->m, &p->set, d, &drawn,
					   &model_weight));
	assert_int_equal(p->rng.s == peek.s, drawn);
	before = p->st.calls;
	if (try) {
		assert_int_equal(weight, model_weight);
		pulled = test_below(&p->rnd, 100) < pull_percent;
		cost = test_below(&p->rnd, 50) ? test_below(&p->rnd, 100000) : 0;
		newidle_account_attempt(&p->st, &p->set, pulled, weight, cost,
					p->now);
		if (cost > 0)
			model_account(&p->m, &p->set, pulled ? model_weight : 0,
				      p->now);
		p->attempts++;
	} else {
		newidle_account(&p->st, &p->set, 0, p->now);
		model_account(&p->m, &p->set, 0, p->now);
	}
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
	newidle_state_init(&p->st, &p->set, p->now);
	model_init(&p->m, &p->set, p->now);
	assert_agree(p, 0);
}

/* As a machine runs: settings stay, time goes on, luck changes slowly. */
static void steady(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	u32 i, percent = 0, period = 1000000;
	struct pair p;

	(void)unused;
	for (set.rate = 0; set.rate <= 1; set.rate++) {
		begin(&p, &set, 11 + set.rate);
		for (i = 1; i <= EVENTS / 2; i++) {
			if (i % 20000 == 0) {
				percent = test_below(&p.rnd, 101);
				period = 10000 + test_below(&p.rnd, 10000000);
			}
			p.now += test_below(&p.rnd, 2 * period);
			one_event(&p, i, percent);
		}
		assert_true(p.windows > EVENTS / 2 / 1024);
		assert_true(p.attempts > 1000 && p.attempts < EVENTS / 2);
	}
}

static void turn_a_knob(struct pair *p)
{
	switch (test_below(&p->rnd, 4)) {
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
		for (i = 1; i <= EVENTS / 4; i++) {
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
		cmocka_unit_test(steady),
		cmocka_unit_test(wild),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
