/* SPDX-License-Identifier: GPL-2.0-only */
/* What a policy would have done on a recording, and what it would have won. */
#ifndef NEWIDLE_PLAY_H
#define NEWIDLE_PLAY_H

#include "policy.h"
#include "recording.h"

/* Stretches of equal time, to see how steady a result is. */
#define PLAY_STRETCHES	32

/**
 * struct figures - what a policy did in one place
 * @calls: decisions
 * @attempts: decisions to try
 * @pulls: attempts that pulled
 * @retries: attempts of a second look
 * @retry_pulls: those that pulled
 * @over_limit: passed over as beyond max_level
 * @cost: time spent in attempts and retries, ns
 * @won: idle time that pulls won back, ns
 */
struct figures {
	uint64_t calls, attempts, pulls, retries, retry_pulls, over_limit;
	uint64_t cost, won;
};

/**
 * struct played - what a policy did on a recording
 * @at: figures of the CPU with index c at depth d are at
 *	[c * RECORDING_DEPTHS + d]
 * @net: idle time won less time spent by stretches of the recording, ns
 */
struct played {
	struct figures *at;
	int64_t net[PLAY_STRETCHES];
};

/**
 * struct assumed - what the user assumes about a recording
 * @window: passes of one CPU over which idle times are averaged, and which the
 *	oracle judges by
 * @longest: a pull wins no more, ns
 * @cost_limit: no attempt took longer, ns; what is above is not the kernel's
 * @cost_pct: what attempts cost, percent of what is left then
 */
struct assumed {
	uint32_t window, longest, cost_limit, cost_pct;
};

/**
 * struct model - a recording with what is assumed about it
 * @r: the recording; idle times and costs are cut off, and idle times of passes
 *	that pulled are estimates
 * @a: what is assumed
 * @passes: of all CPUs
 * @pulled: those that pulled
 * @guessed: those of which no idle time near them is known
 * @stretch: length of a stretch, ns
 * @half: so many of the longest attempts, within 1 in 8, took half of the time
 * @cut: attempts that were recorded as longer than the limit
 * @cut_ns: time by which they were, ns
 */
struct model {
	struct recording *r;
	const struct assumed *a;
	uint64_t passes, pulled, guessed;
	uint64_t stretch;
	uint64_t half;
	uint64_t cut, cut_ns;
};

void model_prepare(struct model *m, struct recording *r,
		   const struct assumed *a);
uint32_t level_width(const char *name);

bool play_policy(const struct model *m, const struct newidle_settings *set,
		 uint64_t seed, struct played *p);
bool play_oracle(const struct model *m, struct played *p);
void played_free(struct played *p);
void figures_add(struct figures *sum, const struct figures *f);

#endif /* NEWIDLE_PLAY_H */
