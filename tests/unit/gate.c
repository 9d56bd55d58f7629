// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine gate by itself: what it leaves alone, what it refuses, and what it
 * puts right after a second look, whose time the kernel books on the last
 * domain and on the run queue.
 */
#include "world.h"

#define IDLE	1000000
#define COST	5000	/* a domain's highest to begin with */

static struct world w;
static struct event ev;

static struct rq *rq0(void)
{
	return per_cpu_ptr(w.rqs, 0);
}

/* CPU 0 skips everything and looks again at an SMT and an LLC domain. */
static void begin(void)
{
	static const int levels[DEPTHS] = { 0, 1, 2, 3 };
	int i;

	memset(&w, 0, sizeof(w));
	memset(&ev, 0, sizeof(ev));
	newidle_settings = newidle_defaults;
	newidle_settings.policy = NEWIDLE_BRESENHAM;
	newidle_settings.rate = 0;
	newidle_live = true;
	world_begin(&w, &all_series[V6_12], GATE);
	world_chain(&w, 0, levels);
	ev.overloaded = true;
	ev.avg_idle = IDLE;
	ev.since = 1000;
	for (i = 0; i < DEPTHS; i++)
		ev.answer[i].took = 1000;
	world_run(&w, &ev);
	newidle_settings.retry = 1;
}

static void pass(int due)
{
	int i;

	for (i = 0; i < DEPTHS; i++) {
		struct newidle_state *st = &per_cpu_ptr(w.cpus, 0)->level[i].state;

		st->ratio = 0;
		st->due = due & BIT(i) ? 1022 : 0;
	}
	world_run(&w, &ev);
}

/* Costs before a pass with a second look that takes long, and that pass. */
static void dear_pass(int due)
{
	int i;

	for (i = 0; i < DEPTHS; i++) {
		w.sd[0][i].max_newidle_lb_cost = COST;
		w.sd[0][i].last_decay_max_lb_cost = world_jiffies();
	}
	rq0()->max_idle_balance_cost = 2 * COST;
	/* Some ticks later, before any of them would decay. */
	w.now += SECOND / 2;
	ev.answer[0].took = 100000;
	ev.answer[1].took = 200000;
	pass(due);
}

#define DEAR 300000

/* The next pass, without a second look. */
static void next_pass(void)
{
	newidle_settings.retry = 0;
	pass(0);
}

static struct sched_domain *last(void)
{
	return &w.sd[0][3];
}

static void puts_costs_right(void **unused)
{
	unsigned long decayed;

	(void)unused;
	begin();
	dear_pass(0);
	decayed = last()->last_decay_max_lb_cost;
	/* What the kernel made of it, and what we did where it did not see. */
	assert_int_equal(last()->max_newidle_lb_cost, DEAR);
	assert_int_equal(decayed, world_jiffies());
	assert_int_equal(rq0()->max_idle_balance_cost, DEAR);
	assert_int_equal(w.sd[0][0].max_newidle_lb_cost, 100000);
	assert_int_equal(w.sd[0][1].max_newidle_lb_cost, 200000);
	assert_int_equal(w.sd[0][1].last_decay_max_lb_cost, world_jiffies());
	assert_int_equal(w.sd[0][2].max_newidle_lb_cost, COST);

	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, COST);
	assert_int_equal(last()->last_decay_max_lb_cost, decayed - HZ / 2);
	assert_int_equal(rq0()->max_idle_balance_cost, 2 * COST);
	assert_int_equal(w.sd[0][0].max_newidle_lb_cost, 100000);

	/* Once: what comes later is not touched. */
	last()->max_newidle_lb_cost = 7 * COST;
	rq0()->max_idle_balance_cost = 7 * COST;
	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, 7 * COST);
	assert_int_equal(rq0()->max_idle_balance_cost, 7 * COST);
	world_end(&w);
}

/* The pass goes on to domains beyond the limit, and is booked after those. */
static void right_with_limit(void **unused)
{
	(void)unused;
	begin();
	newidle_settings.max_level = NEWIDLE_LLC;
	dear_pass(0);
	assert_int_equal(w.sd[0][1].max_newidle_lb_cost, DEAR);
	assert_int_equal(w.sd[0][0].max_newidle_lb_cost, 100000);
	assert_int_equal(last()->max_newidle_lb_cost, COST);
	assert_int_equal(rq0()->max_idle_balance_cost, DEAR);
	next_pass();
	assert_int_equal(w.sd[0][1].max_newidle_lb_cost, 200000);
	assert_int_equal(rq0()->max_idle_balance_cost, 2 * COST);
	world_end(&w);
}

/* The last domain's own attempt was dearer than any before. */
static void keeps_what_is_due(void **unused)
{
	unsigned long decayed;

	(void)unused;
	begin();
	ev.answer[3].took = 4 * COST;
	dear_pass(8);
	decayed = last()->last_decay_max_lb_cost;
	assert_int_equal(last()->max_newidle_lb_cost, DEAR + 4 * COST);
	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, 4 * COST);
	assert_int_equal(last()->last_decay_max_lb_cost, decayed);
	assert_int_equal(rq0()->max_idle_balance_cost, 4 * COST);
	world_end(&w);
}

/* A machine of one domain: its second look is its own affair. */
static void one_domain(void **unused)
{
	static const int levels[DEPTHS] = { 1, -1 };

	(void)unused;
	begin();
	world_chain(&w, 0, levels);
	dear_pass(0);
	assert_int_equal(per_cpu_ptr(w.cpus, 0)->level[1].count.retries, 1);
	next_pass();
	assert_int_equal(w.sd[0][0].max_newidle_lb_cost, 100000);
	assert_int_equal(rq0()->max_idle_balance_cost, 2 * COST);
	world_end(&w);
}

/* A CPU that balances for idle ones has let it decay meanwhile. */
static void decayed_meanwhile(void **unused)
{
	(void)unused;
	begin();
	dear_pass(0);
	w.now += 3 * (SECOND / HZ);
	last()->max_newidle_lb_cost = DEAR * 253 / 256;
	last()->last_decay_max_lb_cost = world_jiffies();
	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, COST * 253 / 256);
	assert_int_equal(last()->last_decay_max_lb_cost, world_jiffies());
	world_end(&w);
}

/* Somebody has set it back, or the kernel has. */
static void set_back_meanwhile(void **unused)
{
	(void)unused;
	begin();
	dear_pass(0);
	last()->max_newidle_lb_cost = 1;
	rq0()->max_idle_balance_cost = 1;
	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, 1);
	assert_int_equal(rq0()->max_idle_balance_cost, 1);
	world_end(&w);
}

/* The domain is not there any more; its memory must not be touched. */
static void domain_gone(void **unused)
{
	(void)unused;
	begin();
	dear_pass(0);
	w.sd[0][2].parent = NULL;
	next_pass();
	assert_int_equal(last()->max_newidle_lb_cost, DEAR);
	assert_int_equal(rq0()->max_idle_balance_cost, 2 * COST);
	world_end(&w);
}

/* Also when the livepatch is on its way out, or the policy stock. */
static void puts_right_at_the_end(void **unused)
{
	int i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		begin();
		dear_pass(0);
		newidle_live = i;
		newidle_settings.policy = NEWIDLE_STOCK;
		ev.answer[0].took = ev.answer[1].took = 1000;
		world_run(&w, &ev);
		assert_int_equal(last()->max_newidle_lb_cost, COST);
		assert_int_equal(rq0()->max_idle_balance_cost, 2 * COST);
		world_end(&w);
	}
}

static u64 calls_of(int cpu)
{
	u64 calls = 0;
	int i;

	for (i = 0; i < NEWIDLE_LEVELS; i++)
		calls += per_cpu_ptr(w.cpus, cpu)->level[i].count.calls;
	return calls;
}

/* What is not newly idle is no business of either engine. */
static void leaves_others_alone(void **unused)
{
	enum who who;
	int n, go_on = 1;
	u64 calls;

	(void)unused;
	for (who = SWAP; who <= GATE; who++) {
		begin();
		world_end(&w);
		world_begin(&w, &all_series[V6_12], who);
		stream_machine(&w);
		newidle_settings.retry = 0;
		/* Once, for all that a first call does. */
		world_run(&w, &ev);
		calls = calls_of(0);
		w.idle = CPU_IDLE;
		for (n = 1; n <= 100; n++) {
			w.steps = 0;
			rcu_read_lock();
			world_balancer(0, w.rqs, w.sd[0], CPU_IDLE, &go_on);
			rcu_read_unlock();
			assert_int_equal(w.steps, 1);
		}
		assert_int_equal(calls_of(0), calls);
		world_end(&w);
	}
}

/* A skip would look like a failed pull, which is booked dearly. */
static void refuses_cost_rule(void **unused)
{
	struct newidle_engine engine;
	char why[NEWIDLE_WHY];
	int i;

	(void)unused;
	for (i = 0; i < NR_SERIES; i++) {
		newidle_kernel.native = NEWIDLE_NATIVE_NONE;
		assert_int_equal(all_series[i].gate(&engine, why, sizeof(why)),
				 -EOPNOTSUPP);
		newidle_kernel.native = NEWIDLE_NATIVE_RANDOM;
		assert_int_equal(all_series[i].gate(&engine, why, sizeof(why)), 0);
		assert_false(engine.books_costs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_others_alone),
		cmocka_unit_test(refuses_cost_rule),
		cmocka_unit_test(puts_costs_right),
		cmocka_unit_test(right_with_limit),
		cmocka_unit_test(keeps_what_is_due),
		cmocka_unit_test(one_domain),
		cmocka_unit_test(decayed_meanwhile),
		cmocka_unit_test(set_back_meanwhile),
		cmocka_unit_test(domain_gone),
		cmocka_unit_test(puts_right_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
