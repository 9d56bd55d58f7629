// SPDX-License-Identifier: GPL-2.0-only
/* Made-up loads: see loads.h. */
#include <math.h>
#include <string.h>
#include "loads.h"

#define US	1e3
#define MS	1e6
#define SECOND	1000000000ULL

/* The kernel's avg_idle is never more, with its migration cost as it comes. */
#define LONGEST_AVERAGE	1000000

#define BURST	10.0

const struct mix mixes[] = {
	{ "2 %, 20 kHz, 20 us", { { 0.02, 20000, 20 * US, 5 * US } } },
	{ "10 %, 20 kHz, 30 us", { { 0.10, 20000, 30 * US, 5 * US } } },
	{ "5 %, 300 Hz, 800 us", { { 0.05, 300, 800 * US, 8 * US } } },
	{ "5 %, 1500 Hz, 300 us", { { 0.05, 1500, 300 * US, 8 * US } } },
	{ "10 %, 1 kHz, 200 us", { { 0.10, 1000, 200 * US, 6 * US } } },
	{ "30 %, 30 kHz, 25 us", { { 0.30, 30000, 25 * US, 3 * US } } },
	{ "70 %, 20 kHz, 30 us", { { 0.70, 20000, 30 * US, 4 * US } } },
	{ "0.5 %, 200 Hz, 1 ms", { { 0.005, 200, 1 * MS, 10 * US } } },
	{ "first and third", { { 0.02, 20000, 20 * US, 5 * US }, { 0.05, 300, 800 * US, 8 * US } } },
	{ "70 % and 0.2 %", { { 0.70, 20000, 30 * US, 4 * US }, { 0.002, 1000, 500 * US, 8 * US } } },
};

const int nr_mixes = sizeof(mixes) / sizeof(mixes[0]);

const char *const flavour_names[NR_FLAVOURS] = {
	[PLAIN] = "independent successes, mean idle time known",
	[BURSTS] = "successes in bursts, mean idle time known",
	[CLIPPED] = "idle times clipped at 1 ms, mean known",
	[KERNEL] = "independent successes, the kernel's avg_idle",
	[BURSTS_KERNEL] = "successes in bursts, the kernel's avg_idle",
	[OWN] = "independent successes, own average from a failed pass to the next",
};

/* Uniform in (0, 1); another generator than newidle's. */
static double uniform(u64 *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((double)(*s >> 11) + 0.5) / 9007199254740992.0;
}

static double exponential(u64 *s, double mean)
{
	return -mean * log(uniform(s));
}

static bool next_in_bursts(u64 *s, bool on, double share)
{
	if (on)
		return uniform(s) >= 1 / BURST;
	return uniform(s) < share / ((1 - share) * BURST);
}

void load_make(struct happening *h, const struct mix *mix, enum flavour flavour,
	       u64 seed)
{
	const bool bursts = flavour == BURSTS || flavour == BURSTS_KERNEL;
	const bool two = mix->load[1].rate > 0;
	bool on = false;
	u64 s = seed * 0x9e3779b97f4a7c15ULL;
	double idle;
	int n;

	uniform(&s);
	for (n = 0; n < LOAD_EVENTS; n++, h++) {
		const int phase = two ? n / (LOAD_EVENTS / LOAD_PHASES) : 0;
		const struct load *l = &mix->load[phase & 1];

		idle = exponential(&s, l->idle);
		h->phase = phase;
		h->since = (u64)exponential(&s, (double)SECOND / l->rate);
		h->mean = (u64)l->idle;
		if (flavour == CLIPPED) {
			idle = fmin(idle, 1 * MS);
			h->mean = (u64)(l->idle * (1 - exp(-1 * MS / l->idle)));
		}
		h->idle = (u64)idle;
		h->cost = (u64)l->cost;
		if (bursts)
			on = next_in_bursts(&s, on, l->success);
		else
			on = uniform(&s) < l->success;
		h->pulls = on;
	}
}

/* The module's own. */

struct module_state {
	struct newidle_state st;
	struct newidle_rng rng;
};

static void module_begin(void *state, const struct newidle_settings *set, u64 now)
{
	struct module_state *m = state;

	newidle_state_init(&m->st, set, 0, now);
	newidle_rng_seed(&m->rng, now);
}

static bool module_decide(void *state, const struct newidle_settings *set,
			  u64 idle, u32 *weight)
{
	struct module_state *m = state;

	(void)idle;
	return newidle_decide(set, &m->st, &m->rng, weight);
}

static void module_book(void *state, const struct newidle_settings *set,
			const struct newidle_outcome *o)
{
	struct module_state *m = state;

	newidle_account(&m->st, set, o);
}

const struct rule module_rule = { module_begin, module_decide, module_book };

/* What a policy may know of the time that this CPU idles. */
struct average {
	u64 kernel, own;
};

static u64 averaged(u64 average, u64 sample)
{
	return (u64)((int64_t)average + ((int64_t)sample - (int64_t)average) / 8);
}

static u64 known_idle(const struct average *a, const struct happening *h,
		      enum flavour flavour)
{
	switch (flavour) {
	case KERNEL:
	case BURSTS_KERNEL:
		return a->kernel;
	case OWN:
		return a->own;
	default:
		return h->mean;
	}
}

double gain_total(const struct gain *g)
{
	return g->phase[0] + g->phase[1] + g->phase[2] + g->phase[3];
}

double gain_best(const struct gain *g)
{
	return g->best[0] + g->best[1] + g->best[2] + g->best[3];
}

void load_play(struct gain *g, const struct happening *h, enum flavour flavour,
	       const struct rule *rule, const struct newidle_settings *set)
{
	const struct happening *last = h + LOAD_EVENTS;
	struct average average = { .kernel = LONGEST_AVERAGE, .own = LONGEST_AVERAGE };
	u64 now = 1000 * SECOND, idle, state[64];
	bool idled = false;
	double won;
	int i;

	memset(g, 0, sizeof(*g));
	rule->begin(state, set, now);
	for (; h < last; h++) {
		struct newidle_outcome o = { 0 };

		now += h->since;
		if (idled)
			average.own = averaged(average.own, h->since);
		won = (h->pulls ? (double)h->idle : 0) - (double)h->cost;
		g->best[h->phase] += won;

		idle = known_idle(&average, h, flavour);
		o.tried = rule->decide(state, set, idle, &o.weight);
		if (o.tried) {
			g->phase[h->phase] += won;
			o.pulled = h->pulls;
			o.cost = h->cost;
			o.idle = idle;
		}
		o.now = now;
		rule->book(state, set, &o);
		/* A CPU that pulled does not go idle. */
		idled = !o.pulled;
		if (idled)
			average.kernel = averaged(average.kernel, h->idle);
		if (average.kernel > LONGEST_AVERAGE)
			average.kernel = LONGEST_AVERAGE;
	}
	for (i = 0; i < LOAD_PHASES; i++)
		g->best[i] = fmax(0, g->best[i]);
}
