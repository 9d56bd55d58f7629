// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each policy wins on the made-up loads of tests/unit/loads.h: net gain,
 * idle time won less time spent in attempts, of the sum of ten seeds.  In percent
 * of the best constant choice for each phase; where that is not to try, the loss
 * in ms.  It is by this table that a new policy is judged.
 */
#include <stdio.h>
#include "loads.h"

#define SEEDS	10

/*
 * Policy value as it was first designed: compare rates.  Kept to compare with:
 * with successes in bursts it takes a drought for the end of the good times.
 */
struct rates {
	u32 attempts, pulls, skipped;
	u64 cost;
};

static void rates_begin(void *state, const struct newidle_settings *set, u64 now)
{
	(void)set;
	(void)now;
	*(struct rates *)state = (struct rates){ 0 };
}

static bool rates_decide(void *state, const struct newidle_settings *set,
			 u64 idle, u32 *weight)
{
	struct rates *r = state;

	*weight = 1;
	if ((r->pulls + 2) * idle * 100 <=
	    (r->attempts + 2) * r->cost * set->value_cost_pct &&
	    ++r->skipped < 64)
		return false;
	r->skipped = 0;
	return true;
}

static void rates_book(void *state, const struct newidle_settings *set,
		       const struct newidle_outcome *o)
{
	struct rates *r = state;

	(void)set;
	if (!o->tried)
		return;
	if (r->attempts)
		r->cost = r->cost - r->cost / 8 + o->cost / 8;
	else
		r->cost = o->cost;
	r->attempts++;
	r->pulls += o->pulled;
	if (r->attempts >= 512) {
		r->attempts /= 2;
		r->pulls /= 2;
	}
}

static const struct rule rates_rule = { rates_begin, rates_decide, rates_book };

static const struct way {
	const char *name;
	const struct rule *rule;
	u32 policy, rate;
} ways[] = {
	{ "always", &module_rule, NEWIDLE_ALWAYS, 0 },
	{ "random", &module_rule, NEWIDLE_RANDOM, 0 },
	{ "random+rate", &module_rule, NEWIDLE_RANDOM, 1 },
	{ "bresenham", &module_rule, NEWIDLE_BRESENHAM, 0 },
	{ "bresenham+rate", &module_rule, NEWIDLE_BRESENHAM, 1 },
	{ "value", &module_rule, NEWIDLE_VALUE, 0 },
	{ "(by rates)", &rates_rule, NEWIDLE_VALUE, 0 },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct happening happenings[LOAD_EVENTS];

static void one_line(const struct mix *mix, enum flavour flavour)
{
	double gain[WAYS] = { 0 }, best = 0;
	struct newidle_settings set = newidle_defaults;
	struct gain g = { 0 };
	size_t i;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		load_make(happenings, mix, flavour, seed);
		for (i = 0; i < WAYS; i++) {
			set.policy = ways[i].policy;
			set.rate = ways[i].rate;
			load_play(&g, happenings, flavour, ways[i].rule, &set);
			gain[i] += gain_total(&g);
		}
		best += gain_best(&g);
	}
	printf("%-20s %9.0f", mix->name, best / SEEDS / 1e6);
	for (i = 0; i < WAYS; i++) {
		if (best > 0)
			printf(" %13.1f%%", 100 * gain[i] / best);
		else
			printf(" %11.1f ms", gain[i] / SEEDS / 1e6);
	}
	printf("\n");
}

int main(void)
{
	int flavour, i;
	size_t k;

	for (flavour = 0; flavour < NR_FLAVOURS; flavour++) {
		printf("%s\n%-20s %9s", flavour_names[flavour], "load", "best, ms");
		for (k = 0; k < WAYS; k++)
			printf(" %14s", ways[k].name);
		printf("\n");
		for (i = 0; i < nr_mixes; i++)
			one_line(&mixes[i], (enum flavour)flavour);
		printf("\n");
	}
	return 0;
}
