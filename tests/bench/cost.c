// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost WAY POLICY RATE: decide and account many times, for somebody who counts
 * the instructions of events().  WAY is "module", "plain", which is the second
 * implementation that the unit tests have, or "none", for what is not theirs.
 * Without arguments: sizes.
 */
#define PLAIN_WIDE u64
#define PLAIN_CALLED static __attribute__((noinline))

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plain.h"

#define EVENTS 100000

/* Half a million events a second, of which one in twenty would pull. */
#define PERIOD 2000
#define ONE_IN 20

static struct newidle_settings set = NEWIDLE_DEFAULTS;
static struct newidle_state state;
static struct newidle_rng rng;
static struct model model;
static bool pulls[EVENTS];
static u32 draws[EVENTS];

struct way {
	const char *name;
	bool (*decide)(u32 draw, u32 *weight);
	void (*account)(const struct newidle_outcome *o);
};

static bool module_decide(u32 draw, u32 *weight)
{
	(void)draw;
	return newidle_decide(&set, &state, &rng, weight);
}

static void module_account(const struct newidle_outcome *o)
{
	newidle_account(&state, &set, o);
}

static bool plain_decide(u32 draw, u32 *weight)
{
	bool drawn;

	return model_decide(&model, &set, draw, &drawn, weight);
}

static void plain_account(const struct newidle_outcome *o)
{
	model_account(&model, &set, o);
}

static bool no_decide(u32 draw, u32 *weight)
{
	(void)draw;
	*weight = 1;
	return true;
}

static void no_account(const struct newidle_outcome *o)
{
	(void)o;
}

static const struct way ways[] = {
	{ "module", module_decide, module_account },
	{ "plain", plain_decide, plain_account },
	{ "none", no_decide, no_account },
};

void events(const struct way *way);

__attribute__((noinline)) void events(const struct way *way)
{
	struct newidle_outcome o = { 0 };
	int i;

	for (i = 0; i < EVENTS; i++) {
		o.now += PERIOD;
		o.tried = way->decide(draws[i], &o.weight);
		o.pulled = o.tried && pulls[i];
		o.cost = 5000;
		o.idle = 30000;
		way->account(&o);
	}
}

static u32 policy_by_name(const char *name)
{
	u32 i;

	for (i = 0; i < NEWIDLE_NR_POLICIES; i++) {
		if (!strcmp(newidle_policy_names[i], name))
			return i;
	}
	fprintf(stderr, "cost: no policy %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	u32 i;

	if (argc < 4) {
		printf("bytes of state per CPU and domain: %zu\n", sizeof(state));
		return 0;
	}
	set.policy = policy_by_name(argv[2]);
	set.rate = atoi(argv[3]) != 0;
	newidle_rng_seed(&rng, 1);
	for (i = 0; i < EVENTS; i++) {
		draws[i] = newidle_rng_draw(&rng);
		pulls[i] = newidle_rng_draw(&rng) < NEWIDLE_UNIT / ONE_IN;
	}
	newidle_state_init(&state, &set, 0, 0);
	model_init(&model, &set, 0);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(ways[i].name, argv[1])) {
			events(&ways[i]);
			return 0;
		}
	}
	return 2;
}
