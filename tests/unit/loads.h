/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made-up loads by which policies are judged: how often a CPU goes newly idle,
 * how often an attempt would pull, how long it idles else, what a try costs.
 */
#ifndef NEWIDLE_LOADS_H
#define NEWIDLE_LOADS_H

#include "policy.h"

#define LOAD_EVENTS	120000
#define LOAD_PHASES	4

/**
 * struct load - a steady one; times of idling are exponential, as are those
 *	between events
 * @success: share of attempts that pull
 * @rate: events a second
 * @idle: ns that the CPU idles if nothing is pulled
 * @cost: ns that an attempt takes
 */
struct load {
	double success, rate, idle, cost;
};

/* With a second load, the two take turns, LOAD_PHASES in all. */
struct mix {
	const char *name;
	struct load load[2];
};

extern const struct mix mixes[];
extern const int nr_mixes;

/* How successes come, and what is known of the idle time. */
enum flavour {
	PLAIN,		/* independent; the mean is known */
	BURSTS,		/* ten in a row as a rule; the mean is known */
	CLIPPED,	/* independent; no idle time above 1 ms */
	KERNEL,		/* independent; averaged as the kernel does it */
	BURSTS_KERNEL,
	OWN,		/* independent; own average, from a pass to the next */
	NR_FLAVOURS
};

extern const char *const flavour_names[NR_FLAVOURS];

/* A CPU goes newly idle, so long after the last time. */
struct happening {
	u64 since, idle, mean, cost;
	bool pulls;
	int phase;
};

void load_make(struct happening *h, const struct mix *mix, enum flavour flavour,
	       u64 seed);

/*
 * Something that decides; @state is big enough for any.  Some want to know how
 * long the CPU idles before they do.
 */
struct rule {
	void (*begin)(void *state, const struct newidle_settings *set, u64 now);
	bool (*decide)(void *state, const struct newidle_settings *set, u64 idle,
		       u32 *weight);
	void (*book)(void *state, const struct newidle_settings *set,
		     const struct newidle_outcome *o);
};

/* The module's own policies. */
extern const struct rule module_rule;

/**
 * struct gain - idle time won less time spent, ns
 * @phase: by phase
 * @best: of the best constant choice for each phase
 */
struct gain {
	double phase[LOAD_PHASES];
	double best[LOAD_PHASES];
};

double gain_total(const struct gain *g);
double gain_best(const struct gain *g);

void load_play(struct gain *g, const struct happening *h, enum flavour flavour,
	       const struct rule *rule, const struct newidle_settings *set);

#endif /* NEWIDLE_LOADS_H */
