// SPDX-License-Identifier: GPL-2.0-only
/*
 * Knobs that work with every policy: how wide new-idle balance may look
 * (max_level), and what a failed attempt is booked with (cost_bump).
 */
#include "world.h"

#define EVENTS_EACH 20000

static const int all_levels[DEPTHS] = { 0, 1, 2, 3 };

static void begin(struct world *w, const struct series *series, enum who who,
		  u32 policy)
{
	int cpu;

	newidle_settings = newidle_defaults;
	newidle_settings.policy = policy;
	newidle_settings.rate = 0;
	newidle_live = true;
	world_begin(w, series, who);
	for (cpu = 0; cpu < CPUS; cpu++)
		world_chain(w, cpu, all_levels);
}

static struct newidle_domain *entry(const struct world *w, int cpu, int level)
{
	return &per_cpu_ptr(w->cpus, cpu)->level[level];
}

/* The widest domain that an event tried, -1 for none. */
static int widest_try(const struct world *w)
{
	int i, widest = -1;

	for (i = 0; i < w->steps; i++) {
		if (w->trace[i].what == TRY && w->trace[i].with > widest)
			widest = w->trace[i].with;
	}
	return widest;
}

/* No attempt beyond the limit; what is beyond stays as it was. */
static void limited(struct world *w, u32 limit, u64 seed)
{
	struct newidle_domain before[CPUS][DEPTHS];
	bool reached = false;
	u64 passed_over = 0;
	struct event ev;
	int cpu, i;
	u32 n;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < DEPTHS; i++)
			before[cpu][i] = *entry(w, cpu, i);
	}
	newidle_settings.max_level = limit;
	for (n = 0; n < EVENTS_EACH; n++) {
		stream_event(&seed, &ev);
		ev.avg_idle = SECOND;
		world_run(w, &ev);
		if (widest_try(w) > (int)limit)
			fail_msg("%s, max_level %s: a try at %d",
				 w->series->name, newidle_level_names[limit],
				 widest_try(w));
		reached |= widest_try(w) == (int)limit;
	}
	assert_true(reached);
	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = (int)limit + 1; i < DEPTHS; i++) {
			struct newidle_domain *d = entry(w, cpu, i);
			struct newidle_counters count = d->count;

			passed_over += count.over_limit -
				       before[cpu][i].count.over_limit;
			count.over_limit = before[cpu][i].count.over_limit;
			assert_memory_equal(&d->state, &before[cpu][i].state,
					    sizeof(d->state));
			assert_memory_equal(&count, &before[cpu][i].count,
					    sizeof(count));
		}
	}
	assert_int_equal(passed_over > 0, limit < NEWIDLE_ALL);
}

/* Of the machine's four domains each is of one of the four kinds. */
static void max_level(void **unused)
{
	static const int with_dice[] = { V6_1, V6_12, V6_18 };
	static const u32 policies[] = { NEWIDLE_ALWAYS, NEWIDLE_RANDOM,
					NEWIDLE_BRESENHAM, NEWIDLE_VALUE };
	static struct world w;
	u32 i, limit, policy;

	(void)unused;
	for (i = 0; i < 2 * ARRAY_SIZE(with_dice); i++) {
		policy = policies[i % ARRAY_SIZE(policies)];
		begin(&w, &all_series[with_dice[i / 2]], i % 2 ? GATE : SWAP, policy);
		for (limit = NEWIDLE_NR_LEVEL_NAMES; limit--;) {
			newidle_settings.retry = limit & 1;
			limited(&w, limit, 900 + i);
		}
		/* Lifted: the widest is tried again. */
		limited(&w, NEWIDLE_ALL, 950 + i);
		world_end(&w);
	}
}

/* Policy stock is as the kernel does by itself. */
static void stock_knows_no_limit(void **unused)
{
	static struct world w;
	struct event ev;
	enum who who;
	u64 seed = 960;
	int n, widest;

	(void)unused;
	for (who = SWAP; who <= GATE; who++) {
		begin(&w, &all_series[V6_12], who, NEWIDLE_STOCK);
		newidle_settings.max_level = NEWIDLE_SMT;
		for (n = 0, widest = -1; n < 1000; n++) {
			stream_event(&seed, &ev);
			ev.avg_idle = SECOND;
			world_run(&w, &ev);
			if (widest_try(&w) > widest)
				widest = widest_try(&w);
		}
		assert_int_equal(widest, DEPTHS - 1);
		world_end(&w);
	}
}

/* What is said of a limit on a machine whose domains have these levels. */
static const char *told(u32 limit, int depths)
{
	static const int levels[][DEPTHS] = {
		{ -1 }, { 0, -1 }, { 0, 1, -1 }, { 0, 1, 2, -1 }, { 0, 1, 2, 3 }
	};
	static struct world w;
	int cpu;

	begin(&w, &all_series[V6_12], GATE, NEWIDLE_RANDOM);
	newidle_kernel.runqueues = w.rqs;
	for (cpu = 0; cpu < CPUS; cpu++) {
		world_chain(&w, cpu, levels[depths]);
		per_cpu_ptr(w.rqs, cpu)->sd = depths ? w.sd[cpu] : NULL;
	}
	world_logged[0] = 0;
	newidle_domains_tell_limit(limit);
	world_end(&w);
	return world_logged;
}

static void tells_what_a_limit_comes_to(void **unused)
{
	int depths;
	u32 limit;

	(void)unused;
	for (depths = 0; depths <= DEPTHS; depths++) {
		for (limit = 0; limit < NEWIDLE_NR_LEVEL_NAMES; limit++) {
			const char *said = told(limit, depths);

			if (limit == NEWIDLE_ALL || (int)limit < depths)
				assert_string_equal(said, "");
			else if (!depths)
				assert_non_null(strstr(said, "nothing is tried"));
			else
				assert_non_null(strstr(said, newidle_level_names[depths - 1]));
		}
	}
	assert_string_equal(told(NEWIDLE_NODE, 2),
			    "max_level=node: this machine has no such domains, so it comes to llc\n");
}

/* Our steps on one kernel are like those of another, by the knob alone. */
static void like(const struct series *wanted, const struct series *running)
{
	const u32 bump = wanted->dialect.bumps_cost;
	static struct world kernel, swap;
	struct event ev;
	u64 seed = 970, bumped = 0;
	int i;
	u32 n;

	begin(&kernel, wanted, KERNEL_ITSELF, NEWIDLE_ALWAYS);
	begin(&swap, running, SWAP, NEWIDLE_ALWAYS);
	newidle_settings.cost_bump = bump;
	for (n = 1; n <= 3 * EVENTS_EACH; n++) {
		stream_event(&seed, &ev);
		assert_int_equal(world_run(&kernel, &ev), world_run(&swap, &ev));
		same_rq(&kernel, &swap, n);
		same_max_cost(&kernel, &swap, n);
		same_steps(&kernel, &swap, n);
		same_domains(&kernel, &swap, n);
		for (i = 0; i < DEPTHS; i++)
			bumped += kernel.sd[ev.cpu][i].max_newidle_lb_cost ==
				  migration_cost + 200;
	}
	assert_int_equal(bumped > 100, bump);
	world_end(&kernel);
	world_end(&swap);
}

/* A kernel without the rule is like one with it, and the other way round. */
static void cost_bump(void **unused)
{
	struct series with = all_series[V6_12], without = all_series[V6_12_RULE];

	(void)unused;
	with.dialect.bumps_cost = true;
	like(&with, &all_series[V6_12]);
	without.dialect.bumps_cost = false;
	like(&without, &all_series[V6_12_RULE]);
}

/* The time for which a domain was beyond the limit is in no window of it. */
static void window_without_limit(void **unused)
{
	static struct world w;
	struct event ev = { .avg_idle = SECOND, .overloaded = true };
	u32 ratio, n;

	(void)unused;
	begin(&w, &all_series[V6_12], SWAP, NEWIDLE_RANDOM);
	newidle_settings.rate = 1;
	ev.since = 100000;
	for (n = 0; n < 3000; n++)
		world_run(&w, &ev);
	ratio = entry(&w, 0, 3)->state.ratio;
	assert_in_range(ratio, 1, 100);
	assert_true(newidle_domains_set_limit(NEWIDLE_LLC));
	assert_false(newidle_domains_set_limit(NEWIDLE_LLC));
	w.now += 60ULL * SECOND;
	assert_true(newidle_domains_set_limit(NEWIDLE_ALL));
	for (n = 0; n < 3000; n++) {
		world_run(&w, &ev);
		assert_in_range(entry(&w, 0, 3)->state.ratio, 0, ratio + 10);
	}
	world_end(&w);
}

/* A domain rebuilt while walks end before it is not taken for the old one. */
static void rebuilt_beyond_budget(void **unused)
{
	static struct world w;
	struct event ev = { .avg_idle = SECOND, .overloaded = true };
	struct newidle_domain *d;

	(void)unused;
	begin(&w, &all_series[V6_12], SWAP, NEWIDLE_RANDOM);
	world_run(&w, &ev);
	d = entry(&w, 0, 3);
	d->state.ratio = 7;
	w.sd[0][3].span_weight++;
	w.sd[0][3].max_newidle_lb_cost = 2 * SECOND;
	world_run(&w, &ev);
	assert_int_equal(d->span_weight, w.sd[0][3].span_weight);
	assert_int_equal(d->count.over_budget, 1);
	w.sd[0][3].max_newidle_lb_cost = 0;
	world_run(&w, &ev);
	assert_int_equal(d->state.ratio, NEWIDLE_UNIT / 2);
	world_end(&w);
}

/* Neither a CPU's domains nor its neighbours' begin with the same phase. */
static void phases(void **unused)
{
	static struct world w;
	struct event ev = { .avg_idle = SECOND, .overloaded = true };
	u32 due[CPUS * DEPTHS];
	int cpu, i, k, n = 0;

	(void)unused;
	begin(&w, &all_series[V6_12], SWAP, NEWIDLE_RANDOM);
	for (cpu = 0; cpu < CPUS; cpu++) {
		ev.cpu = cpu;
		world_run(&w, &ev);
		for (i = 0; i < DEPTHS; i++) {
			due[n] = entry(&w, cpu, i)->state.due;
			for (k = 0; k < n; k++)
				assert_int_not_equal(due[n], due[k]);
			n++;
		}
	}
	world_end(&w);
}

/* The second look's failures are booked alike; its pulls are not bumped. */
static void cost_bump_of_second_look(void **unused)
{
	static struct world w;
	struct event ev = { .avg_idle = 1000000, .overloaded = true };
	int pulled;

	(void)unused;
	ev.answer[0].took = 1000;
	for (pulled = 0; pulled < 2; pulled++) {
		begin(&w, &all_series[V6_12], SWAP, NEWIDLE_BRESENHAM);
		newidle_settings.cost_bump = 1;
		newidle_settings.max_level = NEWIDLE_SMT;
		world_run(&w, &ev);
		newidle_settings.retry = 1;
		entry(&w, 0, 0)->state.ratio = 0;
		entry(&w, 0, 0)->state.due = 0;
		w.sd[0][0].max_newidle_lb_cost = 10000;
		ev.answer[0].pulled = pulled;
		world_run(&w, &ev);
		assert_int_equal(entry(&w, 0, 0)->count.retries, 1);
		assert_int_equal(w.sd[0][0].max_newidle_lb_cost, pulled ? 10000 : 15000);
		world_end(&w);
	}
}

/* Where the kernel does not tell how long a CPU idles. */
static void without_avg_idle(void **unused)
{
	const s32 offset = newidle_offset[NEWIDLE_RQ_AVG_IDLE];
	static struct world w;
	struct event ev = { .avg_idle = 1000000, .overloaded = true };
	struct rq rq = { .avg_idle = 77 };

	(void)unused;
	assert_int_equal(newidle_rq_avg_idle(&rq), 77);
	begin(&w, &all_series[V6_12], GATE, NEWIDLE_BRESENHAM);
	newidle_offset[NEWIDLE_RQ_AVG_IDLE] = NEWIDLE_NO_MEMBER;
	assert_int_equal(newidle_rq_avg_idle(&rq), 0);
	world_run(&w, &ev);
	newidle_offset[NEWIDLE_RQ_AVG_IDLE] = offset;
	assert_int_equal(entry(&w, 0, 0)->count.calls, 1);
	world_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(max_level),
		cmocka_unit_test(stock_knows_no_limit),
		cmocka_unit_test(tells_what_a_limit_comes_to),
		cmocka_unit_test(cost_bump),
		cmocka_unit_test(window_without_limit),
		cmocka_unit_test(rebuilt_beyond_budget),
		cmocka_unit_test(phases),
		cmocka_unit_test(cost_bump_of_second_look),
		cmocka_unit_test(without_avg_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
