/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second implementation of the policies, as plain as the documented formulas
 * read: wide integers, divisions, no shifts.
 */
#ifndef NEWIDLE_PLAIN_H
#define NEWIDLE_PLAIN_H

#include "policy.h"

/* 128 bits for tests of extremes; the bench is content with 64. */
#ifndef PLAIN_WIDE
#define PLAIN_WIDE unsigned __int128
#endif

typedef PLAIN_WIDE wide;

/* The bench wants calls where the module has some. */
#ifndef PLAIN_CALLED
#define PLAIN_CALLED static inline
#endif

struct model {
	wide calls, success, ratio, stamp, window;
	/* bresenham: all shares ever, in 1/1024 of an attempt */
	wide shares;
	/* value: its account in 1/100 ns; ns; decisions */
	wide credit, cost, skipped, patience;
};

static inline void model_init(struct model *m, const struct newidle_settings *set,
			      u64 now)
{
	m->window = set->window;
	m->calls = m->window / 2;
	m->success = m->window / 4;
	m->ratio = 512;
	m->stamp = now;
	m->shares = 0;
	m->credit = m->cost = m->skipped = m->patience = 0;
}

static inline wide least(wide a, wide b)
{
	return a < b ? a : b;
}

/* 1024 / w, rounded: the remainder decides */
static inline u32 rounded(wide w)
{
	return (u32)(1024 / w + (1024 % w * 2 >= w));
}

/* d: the next draw, used only if the policy asks for one. */
PLAIN_CALLED bool model_decide(struct model *m, const struct newidle_settings *set,
			       u32 d, bool *drawn, u32 *weight)
{
	wide before = m->shares / 1024;

	*drawn = set->policy == NEWIDLE_RANDOM && m->ratio < 1024;
	*weight = 1;
	switch (set->policy) {
	case NEWIDLE_RANDOM:
		if (!*drawn)
			return true;
		*weight = rounded(1 + m->ratio);
		return d <= 1 + m->ratio;
	case NEWIDLE_BRESENHAM:
		*weight = rounded(1 + m->ratio);
		m->shares += least(m->ratio + 2, 1024);
		return m->shares / 1024 > before;
	case NEWIDLE_VALUE:
		if (m->cost > 0 && m->credit == 0) {
			m->skipped += 1;
			if (m->skipped < m->patience)
				return false;
		}
		m->skipped = 0;
		return true;
	default:
		return true;
	}
}

static inline void model_value(struct model *m, const struct newidle_settings *set,
			       const struct newidle_outcome *o)
{
	const wide longest = ((wide)1 << 32) - 1;
	wide cost = least(o->cost, longest);
	wide spent = cost * set->value_cost_pct;
	wide idle = least(o->idle, longest);

	m->skipped = 0;
	if (m->cost == 0) {
		m->cost = cost;
		m->credit = 256 * spent;
	} else {
		m->cost = m->cost - m->cost / 8 + cost / 8;
		if (m->cost == 0)
			m->cost = 1;
	}
	if (o->pulled)
		m->credit += 100 * idle;
	m->credit -= least(spent, m->credit);
	m->credit = least(m->credit, 2048 * m->cost * set->value_cost_pct);
	m->patience = idle > 64 * cost ? 16 : idle > 16 * cost ? 32 : 64;
}

static inline void model_ratio(struct model *m, const struct newidle_settings *set,
			       const struct newidle_outcome *o)
{
	wide ratio, elapsed, power = 1;
	u32 i;

	if (m->window != set->window) {
		m->calls = m->calls * set->window / m->window;
		m->success = m->success * set->window / m->window;
		/* what was cut off may not leave more than all successes */
		m->success = least(m->success, m->calls * 1024);
		m->window = set->window;
	}
	m->calls += 1;
	m->success += o->pulled ? o->weight : 0;
	if (m->calls < m->window)
		return;
	ratio = m->success * 1024 / m->calls;
	if (set->rate) {
		elapsed = o->now > m->stamp ? o->now - m->stamp : 0;
		for (i = 0; i < set->rate_shift; i++)
			power *= 2;
		ratio += elapsed * 1024 / m->window / power;
	}
	m->ratio = least(ratio, 1024);
	m->stamp = o->now;
	m->calls /= 2;
	m->success /= 2;
}

PLAIN_CALLED void model_account(struct model *m, const struct newidle_settings *set,
				const struct newidle_outcome *o)
{
	if (o->tried && o->cost == 0)
		return;
	if (set->policy != NEWIDLE_VALUE)
		model_ratio(m, set, o);
	else if (o->tried)
		model_value(m, set, o);
}

#endif /* NEWIDLE_PLAIN_H */
