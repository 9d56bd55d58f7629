// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine swap against a kernel's own new-idle balance, in all that they leave
 * behind: with policy always a kernel without dice, with policy random one
 * whose dice fall alike.  For every dialect, each compiled for its version.
 *
 * Two differences are left out, because they are known:
 * - A kernel books an attempt that took time, blocked load included; we book
 *   it if the balancer took some.  Here it always does.
 * - 6.12.43 and 6.17 let go of the lock and take it again on a CPU without any
 *   domain; we leave early, as the others do.
 */
#include "world.h"

#define EVENTS_EACH 60000

struct both {
	struct world kernel, swap;
};

static void begin(struct both *b, const struct series *series, u32 policy)
{
	newidle_settings = plain_random();
	newidle_settings.policy = policy;
	newidle_settings.cost_bump = series->dialect.bumps_cost;
	newidle_live = true;
	world_begin(&b->kernel, series, KERNEL_ITSELF);
	b->kernel.rolls = policy == NEWIDLE_RANDOM;
	stream_machine(&b->kernel);
	world_begin(&b->swap, series, SWAP);
	stream_machine(&b->swap);
}

static void end(struct both *b)
{
	world_end(&b->kernel);
	world_end(&b->swap);
}

static void one(struct both *b, const struct event *ev, u32 n)
{
	int wanted = world_run(&b->kernel, ev);

	if (world_run(&b->swap, ev) != wanted)
		fail_msg("%s, event %u: not %d is returned",
			 b->swap.series->name, n, wanted);
	same_rq(&b->kernel, &b->swap, n);
	same_max_cost(&b->kernel, &b->swap, n);
	same_steps(&b->kernel, &b->swap, n);
	same_domains(&b->kernel, &b->swap, n);
}

/* How often each thing happened, lest a stream leaves something out. */
struct seen {
	u64 skips, pulls, budget, bumped, kicked, long_walk;
};

static void look(struct seen *seen, const struct both *b, const struct event *ev,
		 const struct rq *rq)
{
	const struct world *w = &b->kernel;
	int i, tries = 0;

	for (i = 0; i < w->steps; i++)
		tries += w->trace[i].what == TRY;
	seen->long_walk += tries == DEPTHS;
	seen->budget += w->over_budget;
	seen->kicked += rq->nohz_flags.counter == 7;
	for (i = 0; i < DEPTHS; i++) {
		seen->pulls += world_pulls(w, i);
		seen->bumped += w->sd[ev->cpu][i].max_newidle_lb_cost == migration_cost + 200;
	}
}

static void side_by_side(const struct series *series, u32 policy, u64 seed)
{
	struct seen seen = { 0 };
	static struct both b;
	struct event ev;
	int cpu, i;
	u32 n;

	begin(&b, series, policy);
	for (n = 1; n <= EVENTS_EACH; n++) {
		stream_event(&seed, &ev);
		one(&b, &ev, n);
		right_counts(&b.swap, &b.kernel, n);
		look(&seen, &b, &ev, per_cpu_ptr(b.kernel.rqs, ev.cpu));
	}
	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < DEPTHS; i++)
			seen.skips += b.kernel.dice[cpu][i].count.skips;
	}
	assert_true(seen.pulls > 1000 && seen.budget > 1000 && seen.kicked > 1000);
	assert_true(seen.long_walk > 10);
	assert_int_equal(seen.skips > 1000, policy == NEWIDLE_RANDOM);
	assert_int_equal(seen.bumped > 100, series->dialect.bumps_cost);
	end(&b);
}

static void as_without_dice(void **unused)
{
	int i;

	(void)unused;
	for (i = 0; i < NR_SERIES; i++)
		side_by_side(&all_series[i], NEWIDLE_ALWAYS, 100 + i);
}

static void as_with_dice(void **unused)
{
	int i;

	(void)unused;
	for (i = 0; i < NR_SERIES; i++)
		side_by_side(&all_series[i], NEWIDLE_RANDOM, 200 + i);
}

/* A kernel that never stops its tick has no blocked load to see to. */
static void without_nohz(void **unused)
{
	static struct both b;
	struct event ev;
	u64 seed = 300;
	u32 n;

	(void)unused;
	begin(&b, &all_series[V6_12], NEWIDLE_ALWAYS);
	newidle_running.has_blocked = NULL;
	newidle_running.next_blocked = NULL;
	for (n = 1; n <= 1000; n++) {
		stream_event(&seed, &ev);
		ev.has_blocked = false;
		one(&b, &ev, n);
	}
	end(&b);
}

static u64 total(const struct world *w, size_t counter)
{
	u64 sum = 0;
	int cpu, i;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < NEWIDLE_LEVELS; i++)
			sum += *(u64 *)((char *)&per_cpu_ptr(w->cpus, cpu)->level[i].count +
					counter);
	}
	return sum;
}

#define TOTAL(w, counter) total(w, offsetof(struct newidle_counters, counter))

/*
 * Stock, or not live: the kernel's own function runs, once and with nothing
 * else; its attempts are counted if live, and never accounted.
 */
static void stands_aside(void **unused)
{
	static struct both b;
	struct event ev;
	u64 seed = 400, tries = 0;
	int i, k;
	u32 n;

	(void)unused;
	for (i = 0; i < 2 * NR_SERIES; i++) {
		begin(&b, &all_series[i / 2], i & 1 ? NEWIDLE_STOCK : NEWIDLE_RANDOM);
		b.kernel.rolls = b.swap.rolls = true;
		newidle_live = i & 1;
		tries = 0;
		for (n = 1; n <= 2000; n++) {
			stream_event(&seed, &ev);
			one(&b, &ev, n);
			assert_int_equal(b.swap.owns, n);
			for (k = 0; k < b.kernel.steps; k++)
				tries += b.kernel.trace[k].what == TRY;
		}
		assert_true(tries > 500);
		assert_int_equal(TOTAL(&b.swap, attempts), newidle_live ? tries : 0);
		assert_int_equal(TOTAL(&b.swap, calls), newidle_live ? tries : 0);
		assert_int_equal(TOTAL(&b.swap, skips), 0);
		assert_int_equal(TOTAL(&b.swap, pulls) > 0, newidle_live);
		assert_int_equal(per_cpu_ptr(b.swap.cpus, 0)->level[0].state.calls,
				 newidle_live ? newidle_settings.window / 2 : 0);
		end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_without_dice),
		cmocka_unit_test(as_with_dice),
		cmocka_unit_test(without_nohz),
		cmocka_unit_test(stands_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
