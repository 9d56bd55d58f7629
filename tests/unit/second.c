// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second look (knob retry), under both engines: each condition by itself.
 *
 * CPU 0 has an SMT, an LLC, a node's and a NUMA domain.  The policy is bresenham
 * at ratio 0 with nothing due, which skips everything but what a test makes due.
 */
#include "world.h"

#define IDLE 1000000

/* The domains that share a last-level cache, one bit for each depth. */
#define LLC 3

/* What each look tried, the second within the LLC and beyond; what came of it. */
struct seen {
	int first, second, beyond;
	int result;
};

struct scene {
	struct world w;
	struct event ev;
};

static void set_scene(struct scene *s, const struct series *series, enum who who)
{
	static const int levels[DEPTHS] = { 0, 1, 2, 3 };
	int cpu;

	memset(s, 0, sizeof(*s));
	newidle_settings = newidle_defaults;
	newidle_settings.policy = NEWIDLE_BRESENHAM;
	newidle_settings.rate = 0;
	newidle_live = true;
	world_begin(&s->w, series, who);
	for (cpu = 0; cpu < CPUS; cpu++)
		world_chain(&s->w, cpu, levels);
	s->ev.overloaded = true;
	s->ev.avg_idle = IDLE;
	for (cpu = 0; cpu < DEPTHS; cpu++)
		s->ev.answer[cpu].took = 1000;
	/* Once, for what a first walk does; domains are known from then on. */
	world_run(&s->w, &s->ev);
	newidle_settings.retry = 1;
}

static struct newidle_domain *entry(struct scene *s, int depth)
{
	return &per_cpu_ptr(s->w.cpus, 0)->level[depth];
}

/* One walk, in which the domains of @due are tried and the others skipped. */
static struct seen look(struct scene *s, int due)
{
	struct newidle_counters before[DEPTHS];
	struct seen seen = { 0 };
	int depth, tries = 0, i;

	for (depth = 0; depth < DEPTHS; depth++) {
		entry(s, depth)->state.ratio = 0;
		entry(s, depth)->state.due = due & BIT(depth) ? 1022 : 0;
		before[depth] = entry(s, depth)->count;
	}
	seen.result = world_run(&s->w, &s->ev);
	for (depth = 0; depth < DEPTHS; depth++) {
		const struct newidle_counters *now = &entry(s, depth)->count;

		seen.first |= (now->attempts > before[depth].attempts) << depth;
		seen.second |= (now->retries > before[depth].retries) << depth;
		assert_in_range(now->attempts - before[depth].attempts, 0, 1);
		assert_in_range(now->retries - before[depth].retries, 0, 1);
		assert_int_equal(now->calls - before[depth].calls,
				 now->attempts + now->skips - before[depth].attempts -
				 before[depth].skips);
		tries += now->attempts > before[depth].attempts;
		tries += now->retries > before[depth].retries;
	}
	seen.beyond = seen.second & ~LLC;
	seen.second &= LLC;
	/* What is counted is what was tried. */
	for (i = 0; i < s->w.steps; i++)
		tries -= s->w.trace[i].what == TRY;
	assert_int_equal(tries, 0);
	return seen;
}

/* Each test under each engine of each kernel that has both. */
static void in_each(void (*test)(struct scene *s))
{
	static const int with_dice[] = { V6_1, V6_12, V6_18 };
	static struct scene s;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(with_dice); i++) {
		set_scene(&s, &all_series[with_dice[i / 2]], i % 2 ? GATE : SWAP);
		test(&s);
		world_end(&s.w);
	}
}

#define EACH(name)							\
	static void name(void **unused)					\
	{								\
		(void)unused;						\
		in_each(name##_in);					\
	}

/* Skipped, the LLC's and narrower, lowest first, once, without a pull. */
static void looks_again_in(struct scene *s)
{
	struct seen seen = look(s, 0);
	int i, last = -1;

	assert_int_equal(seen.first, 0);
	assert_int_equal(seen.second, 3);
	assert_int_equal(seen.result, 0);
	for (i = 0; i < s->w.steps; i++) {
		if (s->w.trace[i].what == TRY) {
			assert_true(s->w.trace[i].with > last);
			last = s->w.trace[i].with;
		}
	}
}
EACH(looks_again)

/* Knobs: retry, and policy stock, which is the kernel's own. */
static void only_when_asked_for_in(struct scene *s)
{
	newidle_settings.retry = 0;
	assert_int_equal(look(s, 0).second, 0);
	newidle_settings.retry = 1;
	newidle_settings.policy = NEWIDLE_STOCK;
	assert_int_equal(look(s, 0).second, 0);
	newidle_settings.policy = NEWIDLE_ALWAYS;
	assert_int_equal(look(s, 0).second, 0);
}
EACH(only_when_asked_for)

/* Condition 1: the first pass did not end because of its budget. */
static void budget_in(struct scene *s)
{
	s->w.sd[0][3].max_newidle_lb_cost = IDLE + 1;
	assert_int_equal(look(s, 0).second, 0);
	s->w.sd[0][3].max_newidle_lb_cost = 5000;
	assert_int_equal(look(s, 0).second, 3);
}
EACH(budget)

/* The budget of domains beyond max_level, which nobody asks about, is no matter. */
static void beyond_limit_in(struct scene *s)
{
	newidle_settings.max_level = NEWIDLE_LLC;
	s->w.sd[0][2].max_newidle_lb_cost = IDLE + 1;
	assert_int_equal(look(s, 0).second, 3);
	/* Nor is there a second one when they are come to. */
	s->w.sd[0][2].max_newidle_lb_cost = 5000;
	s->ev.answer[0].took = 1;
	assert_int_equal(look(s, 0).second, 3);
}
EACH(beyond_limit)

/* Condition 2: it pulled nothing. */
static void pulled_in(struct scene *s)
{
	struct seen seen;

	/* It went elsewhere, or there would be work here. */
	s->ev.answer[3].pulled = 1;
	seen = look(s, 8);
	assert_int_equal(seen.first, 8);
	assert_int_equal(seen.second, 0);
	assert_int_equal(seen.result, 1);
}
EACH(pulled)

/* The second look behind an attempt at the widest domain that took so long. */
static int second_after(struct scene *s, u32 took)
{
	/* What an attempt took before is no reason to end a walk. */
	s->w.sd[0][3].max_newidle_lb_cost = 5000;
	s->ev.answer[3].took = took;
	return look(s, took ? 8 : 0).second;
}

/* Condition 3: enough idle time is left. */
static void time_left_in(struct scene *s)
{
	u32 pct;

	for (pct = 60; pct <= 100; pct += 10) {
		newidle_settings.retry_idle_pct = pct;
		assert_int_equal(second_after(s, IDLE - IDLE / 100 * pct), 3);
		assert_int_equal(second_after(s, IDLE - IDLE / 100 * pct + 1), 0);
	}
	newidle_settings.retry_idle_pct = 50;
	assert_int_equal(second_after(s, 490000), 3);
	newidle_settings.retry_idle_pct = 52;
	assert_int_equal(second_after(s, 490000), 0);
	/* all of it, and more than that */
	newidle_settings.retry_idle_pct = 1;
	assert_int_equal(second_after(s, IDLE), 0);
	assert_int_equal(second_after(s, IDLE + 1), 0);
}
EACH(time_left)

/* Condition 4: within the last-level cache. */
static void within_llc_in(struct scene *s)
{
	s->ev.answer[0].took = 1;
	assert_int_equal(look(s, 0).beyond, 0);
	assert_int_equal(look(s, 4).beyond, 0);
}
EACH(within_llc)

/* Condition 5: not tried before. */
static void not_tried_in(struct scene *s)
{
	assert_int_equal(look(s, 1).second & 1, 0);
	assert_int_equal(look(s, 2).second & 2, 0);
	assert_int_equal(look(s, 3).second & 3, 0);
	/* the next pass begins anew */
	assert_int_equal(look(s, 0).second, LLC);
}
EACH(not_tried)

/* A domain whose highest cost does not fit into the time that is left. */
static void fits_in(struct scene *s)
{
	/* a pass that may go so far, but of whose time much is spent then */
	s->ev.answer[2].took = IDLE / 2 - 6000;
	s->w.sd[0][0].max_newidle_lb_cost = 12000;
	s->w.sd[0][1].max_newidle_lb_cost = 5000;
	assert_int_equal(look(s, 4).second, 2);
	/* what the second look itself has spent counts too */
	s->w.sd[0][0].max_newidle_lb_cost = 5000;
	s->w.sd[0][1].max_newidle_lb_cost = 5000;
	s->ev.answer[0].took = 7000;
	assert_int_equal(look(s, 4).second, 1);
}
EACH(fits)

/* The balancer says that it is of no use. */
static void of_no_use_in(struct scene *s)
{
	s->ev.answer[3].stop = true;
	assert_int_equal(look(s, 8).second, 0);
	s->ev.answer[0].stop = true;
	assert_int_equal(look(s, 0).second, 1);
}
EACH(of_no_use)

/* Somebody has come by himself. */
static void has_work_in(struct scene *s)
{
	s->ev.answer[3].fair = 1;
	assert_int_equal(look(s, 8).second, 0);
	s->ev.answer[3].fair = 0;
	s->ev.answer[3].ttwu = true;
	assert_int_equal(look(s, 8).second, 0);
}
EACH(has_work)

/* A pull of the second look ends it, and is what schedule() is told. */
static void pulls_in(struct scene *s)
{
	struct newidle_counters before = entry(s, 0)->count;
	u64 success;
	struct seen seen;

	s->ev.answer[0].pulled = s->ev.answer[0].here = 1;
	success = entry(s, 0)->state.success;
	seen = look(s, 0);
	assert_int_equal(seen.second, 1);
	assert_int_equal(seen.result, 1);
	assert_int_equal(entry(s, 0)->count.retry_pulls - before.retry_pulls, 1);
	assert_int_equal(entry(s, 0)->count.pulls, before.pulls);
	assert_int_equal(entry(s, 0)->count.cost_ns - before.cost_ns, 1000);
	/* The skip is booked, and the retry, which counts 1. */
	assert_int_equal(entry(s, 0)->state.success - success, 1);
}
EACH(pulls)

/* How long new-idle balance takes is judged by the first look alone. */
static void not_of_the_pass_in(struct scene *s)
{
	struct rq *rq = per_cpu_ptr(s->w.rqs, 0);

	rq->max_idle_balance_cost = 5000;
	s->ev.answer[0].took = 100000;
	s->ev.answer[2].took = 9000;
	assert_int_equal(look(s, 4).second, 3);
	/* Engine gate puts it right at the next pass. */
	newidle_settings.retry = 0;
	if (!s->w.newidle)
		look(s, 0);
	assert_int_equal(rq->max_idle_balance_cost, 9000);
}
EACH(not_of_the_pass)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_again),
		cmocka_unit_test(only_when_asked_for),
		cmocka_unit_test(budget),
		cmocka_unit_test(beyond_limit),
		cmocka_unit_test(pulled),
		cmocka_unit_test(time_left),
		cmocka_unit_test(within_llc),
		cmocka_unit_test(not_tried),
		cmocka_unit_test(fits),
		cmocka_unit_test(of_no_use),
		cmocka_unit_test(has_work),
		cmocka_unit_test(pulls),
		cmocka_unit_test(not_of_the_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
