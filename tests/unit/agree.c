// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two engines agree: fed the same events, engine swap and engine gate in a
 * kernel of the same series make the same decisions, keep the same books and
 * leave the same behind, exactly.
 *
 * They need not agree where they can't:
 * - What a skip costs.  To the kernel around engine gate it is an attempt that
 *   pulled nothing: the time since the last one, blocked load as a rule, goes
 *   on the skipped domain, and its cost may decay.  Engine swap, and a kernel's
 *   own dice, leave that domain alone and charge the next one that is tried.
 *   So the highest costs differ, and with them where the budget ends a walk;
 *   only_over_budget() shows that nothing else comes of it.
 * - On 6.1 a walk ends when this CPU has a task.  A skip of swap, and of the
 *   kernel's own dice, goes on without looking; behind gate's the kernel looks.
 *   It matters if a task came before the first attempt: see looks_after_skip().
 */
#include "world.h"

#define EVENTS_EACH 100000

/* Of what engine gate runs on with its dice. */
static const int with_dice[] = { V6_1, V6_12, V6_18 };

struct both {
	struct world swap, gate;
};

static void begin(struct both *b, const struct series *series,
		  const struct newidle_settings *set)
{
	newidle_settings = *set;
	newidle_live = true;
	world_begin(&b->swap, series, SWAP);
	stream_machine(&b->swap);
	world_begin(&b->gate, series, GATE);
	stream_machine(&b->gate);
}

static void end(struct both *b)
{
	world_end(&b->swap);
	world_end(&b->gate);
}

static void one(struct both *b, const struct event *ev, u32 n)
{
	int result = world_run(&b->swap, ev);

	assert_int_equal(world_run(&b->gate, ev), result);
	same_policy(&b->swap, &b->gate, n);
	same_steps(&b->swap, &b->gate, n);
	same_rq(&b->swap, &b->gate, n);
}

static struct newidle_counters total(const struct world *w)
{
	struct newidle_counters sum = { 0 };
	int cpu, i;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < NEWIDLE_LEVELS; i++) {
			const struct newidle_domain *d =
				&per_cpu_ptr(w->cpus, cpu)->level[i];

			sum.calls += d->count.calls;
			sum.attempts += d->count.attempts;
			sum.skips += d->count.skips;
			sum.pulls += d->count.pulls;
			sum.retries += d->count.retries;
		}
	}
	return sum;
}

static void tell(const struct world *w, const char *what)
{
	struct newidle_counters sum = total(w);

	print_message("# %s, %s: %llu calls, %llu attempts, %llu skips, %llu pulls, %llu retries\n",
		      w->series->name, what, (unsigned long long)sum.calls,
		      (unsigned long long)sum.attempts, (unsigned long long)sum.skips,
		      (unsigned long long)sum.pulls, (unsigned long long)sum.retries);
}

static void always(void **unused)
{
	struct newidle_settings set = plain_random();
	static struct both b;
	struct event ev;
	u64 seed;
	u32 i, n;

	(void)unused;
	set.policy = NEWIDLE_ALWAYS;
	for (i = 0; i < ARRAY_SIZE(with_dice); i++) {
		begin(&b, &all_series[with_dice[i]], &set);
		seed = 500 + i;
		for (n = 1; n <= EVENTS_EACH; n++) {
			stream_event(&seed, &ev);
			one(&b, &ev, n);
			same_domains(&b.swap, &b.gate, n);
			same_max_cost(&b.swap, &b.gate, n);
		}
		tell(&b.swap, "always");
		assert_true(total(&b.swap).pulls > 1000);
		end(&b);
	}
}

struct choice {
	u32 policy, rate, rate_shift, window, retry;
};

/* An attempt's price is what makes value skip, at the idle times of tame(). */
static struct newidle_settings chosen(const struct choice *c)
{
	struct newidle_settings set = newidle_defaults;

	set.policy = c->policy;
	set.rate = c->rate;
	set.rate_shift = c->rate_shift;
	set.window = c->window;
	set.retry = c->retry;
	set.value_cost_pct = 9000;
	return set;
}

/* An ample budget or none, and no task that comes outside of a try. */
static void tame(u64 *rnd, struct event *ev)
{
	stream_event(rnd, ev);
	ev->avg_idle = test_below(rnd, 20) ? SECOND : 1;
	if (newidle_settings.policy == NEWIDLE_VALUE)
		ev->avg_idle = min(ev->avg_idle, 6000000);
	ev->others = 0;
	ev->fair_meanwhile = 0;
}

static void dice(void **unused)
{
	static const struct choice choices[] = {
		{ NEWIDLE_RANDOM, 0, 22, 1024, 0 },
		{ NEWIDLE_RANDOM, 1, 22, 1024, 0 },
		{ NEWIDLE_RANDOM, 1, 28, 64, 0 },
		{ NEWIDLE_RANDOM, 1, 34, 65536, 1 },
		{ NEWIDLE_BRESENHAM, 0, 22, 1024, 0 },
		{ NEWIDLE_BRESENHAM, 1, 28, 64, 1 },
		{ NEWIDLE_VALUE, 0, 22, 1024, 0 },
		{ NEWIDLE_VALUE, 0, 22, 1024, 1 },
	};
	struct newidle_settings set;
	static struct both b;
	struct event ev;
	u64 seed;
	u32 i, n;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(choices) * ARRAY_SIZE(with_dice); i++) {
		set = chosen(&choices[i / ARRAY_SIZE(with_dice)]);
		begin(&b, &all_series[with_dice[i % ARRAY_SIZE(with_dice)]], &set);
		seed = 600 + i;
		for (n = 1; n <= EVENTS_EACH; n++) {
			tame(&seed, &ev);
			one(&b, &ev, n);
		}
		tell(&b.swap, newidle_policy_names[newidle_settings.policy]);
		assert_true(total(&b.swap).pulls > 1000 &&
			    total(&b.swap).skips > 1000);
		assert_int_equal(total(&b.swap).retries > 100, set.retry);
		end(&b);
	}
}

/* As their files and the livepatch's callbacks do it. */
static void turn_something(struct both *b, u64 *rnd)
{
	const u32 policy = newidle_live ? newidle_settings.policy : NEWIDLE_STOCK;
	int cpu = (int)test_below(rnd, CPUS);

	switch (test_below(rnd, 8)) {
	case 0:
		newidle_settings.policy = test_below(rnd, NEWIDLE_NR_POLICIES);
		break;
	case 1:
		newidle_settings.rate = test_below(rnd, 2);
		break;
	case 2:
		newidle_settings.rate_shift = 16 + test_below(rnd, 34 - 16 + 1);
		break;
	case 3:
		newidle_settings.window = 64U << test_below(rnd, 11);
		break;
	case 4:
		newidle_live = test_below(rnd, 4);
		break;
	case 5:
		/* Domains are rebuilt. */
		b->swap.sd[cpu][0].span_weight ^= 1;
		b->gate.sd[cpu][0].span_weight ^= 1;
		break;
	case 6:
		newidle_settings.retry = test_below(rnd, 2);
		break;
	case 7:
		newidle_domains_set_limit(test_below(rnd, NEWIDLE_NR_LEVEL_NAMES));
		break;
	}
	if (newidle_live && policy != newidle_settings.policy)
		newidle_epoch++;
}

/*
 * Knobs under way, policy stock and a livepatch that comes and goes included.
 * The kernel has no dice of its own here.
 */
static void knobs(void **unused)
{
	static const int deep[DEPTHS] = { 0, 1, NEWIDLE_LEVELS, NEWIDLE_LEVELS + 1 };
	struct newidle_settings set = plain_random();
	static struct both b;
	struct event ev;
	u64 seed;
	u32 i, n;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(with_dice); i++) {
		begin(&b, &all_series[with_dice[i]], &set);
		world_chain(&b.swap, 3, deep);
		world_chain(&b.gate, 3, deep);
		seed = 700 + i;
		for (n = 1; n <= EVENTS_EACH; n++) {
			tame(&seed, &ev);
			one(&b, &ev, n);
			if (!test_below(&seed, 100))
				turn_something(&b, &seed);
		}
		tell(&b.swap, "knobs");
		assert_true(b.swap.owns > 1000 && total(&b.swap).skips > 1000);
		assert_true(newidle_level_overflow);
		end(&b);
	}
}

/* What a kernel did under load: see events.txt. */
static void recorded(void **unused)
{
	static const struct choice choices[] = {
		{ NEWIDLE_ALWAYS, 0, 22, 1024, 0 },
		{ NEWIDLE_RANDOM, 0, 22, 1024, 0 },
		{ NEWIDLE_RANDOM, 1, 22, 1024, 1 },
		{ NEWIDLE_RANDOM, 1, 17, 64, 0 },
		{ NEWIDLE_BRESENHAM, 0, 22, 1024, 1 },
		{ NEWIDLE_VALUE, 0, 22, 1024, 1 },
	};
	struct newidle_settings set;
	static struct both b;
	struct event *events;
	u32 i, n, nr = stream_recorded(&events);
	int cpu;

	(void)unused;
	assert_true(nr > 1000);
	for (i = 0; i < ARRAY_SIZE(choices) * ARRAY_SIZE(with_dice); i++) {
		set = chosen(&choices[i / ARRAY_SIZE(with_dice)]);
		begin(&b, &all_series[with_dice[i % ARRAY_SIZE(with_dice)]], &set);
		for (cpu = 0; cpu < CPUS; cpu++) {
			world_chain(&b.swap, cpu, recorded_levels);
			world_chain(&b.gate, cpu, recorded_levels);
		}
		for (n = 0; n < nr; n++)
			one(&b, &events[n], n);
		tell(&b.swap, "recorded");
		assert_true(total(&b.swap).pulls > 20);
		end(&b);
	}
	free(events);
}

static u64 calls_of(const struct world *w, int cpu)
{
	u64 calls = 0;
	int i;

	for (i = 0; i < NEWIDLE_LEVELS; i++)
		calls += per_cpu_ptr(w->cpus, cpu)->level[i].count.calls;
	return calls;
}

/* Did the budget keep swap's walk, whose costs it knows, from that domain? */
static bool swap_over_budget(const struct world *w, int depth)
{
	const struct step *s;
	u64 begun = 0, spent = 0;

	for (s = w->trace; s < w->trace + w->steps; s++) {
		if (s->what == UNLOCK)
			begun = s->when;
		else if (s->what == TRY)
			spent = s->when + w->ev->answer[s->with].took - begun;
	}
	return w->ev->avg_idle <
	       spent + w->sd[w->ev->cpu][depth].max_newidle_lb_cost;
}

/* With a budget that counts they part sooner or later: at a domain too dear. */
static void only_over_budget(void **unused)
{
	struct newidle_settings set = plain_random();
	u64 seed, swap_calls, gate_calls, swap_before, gate_before;
	static struct both b;
	struct event ev;
	u32 i, n;

	(void)unused;
	for (i = 0; i < 10 * ARRAY_SIZE(with_dice); i++) {
		begin(&b, &all_series[with_dice[i % ARRAY_SIZE(with_dice)]], &set);
		seed = 800 + i;
		for (n = 1; n <= EVENTS_EACH; n++) {
			stream_event(&seed, &ev);
			ev.others = 0;
			ev.fair_meanwhile = 0;
			/* The one with 4 domains, all for new-idle balance. */
			ev.cpu = 0;
			swap_before = calls_of(&b.swap, 0);
			gate_before = calls_of(&b.gate, 0);
			world_run(&b.swap, &ev);
			world_run(&b.gate, &ev);
			swap_calls = calls_of(&b.swap, 0) - swap_before;
			gate_calls = calls_of(&b.gate, 0) - gate_before;
			if (swap_calls != gate_calls)
				break;
			same_policy(&b.swap, &b.gate, n);
		}
		assert_true(n <= EVENTS_EACH);
		if (swap_calls < gate_calls)
			assert_true(swap_over_budget(&b.swap, (int)swap_calls));
		else
			assert_true(b.gate.over_budget);
		end(&b);
	}
}

/* A task arrives before the first attempt, which is skipped. */
static void looks_after_skip(void **unused)
{
	struct newidle_settings set = plain_random();
	struct event ev = { .avg_idle = SECOND, .overloaded = true };
	static struct both b;
	u32 i, n;

	(void)unused;
	ev.fair_meanwhile = 1;
	for (i = 0; i < ARRAY_SIZE(with_dice); i++) {
		bool differ = with_dice[i] == V6_1;

		begin(&b, &all_series[with_dice[i]], &set);
		for (n = 0; n < 100; n++) {
			assert_int_equal(world_run(&b.swap, &ev), 1);
			if (total(&b.swap).skips)
				break;
			assert_int_equal(world_run(&b.gate, &ev), 1);
			same_policy(&b.swap, &b.gate, n);
		}
		assert_int_equal(world_run(&b.gate, &ev), 1);
		assert_int_equal(total(&b.gate).skips > 0, true);
		assert_int_equal(total(&b.swap).calls != total(&b.gate).calls, differ);
		end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded),
		cmocka_unit_test(always),
		cmocka_unit_test(dice),
		cmocka_unit_test(knobs),
		cmocka_unit_test(only_over_budget),
		cmocka_unit_test(looks_after_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
