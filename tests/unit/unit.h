/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test needs: cmocka, the core, short names for test data. */
#ifndef NEWIDLE_UNIT_H
#define NEWIDLE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "policy.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define SECOND 1000000000ULL

/* Where a test begins its clock: far from 0, so that it can go back. */
#define START (1000 * SECOND)

/* random without rate; the rest as loaded. */
static inline struct newidle_settings plain_random(void)
{
	struct newidle_settings set = newidle_defaults;

	set.policy = NEWIDLE_RANDOM;
	set.rate = 0;
	return set;
}

/* Short forms: on CPU 0; what a skip or an attempt comes to. */
static inline void state_init(struct newidle_state *st,
			      const struct newidle_settings *set, u64 now)
{
	newidle_state_init(st, set, 0, now);
}

static inline void account(struct newidle_state *st,
			   const struct newidle_settings *set, u32 success,
			   u64 now)
{
	const struct newidle_outcome o = {
		.tried = success,
		.pulled = success,
		.weight = success,
		.cost = success,
		.now = now,
	};

	newidle_account(st, set, &o);
}

static inline void account_attempt(struct newidle_state *st,
				   const struct newidle_settings *set,
				   bool pulled, u32 weight, u64 cost, u64 now)
{
	const struct newidle_outcome o = {
		.tried = true,
		.pulled = pulled,
		.weight = weight,
		.cost = cost,
		.now = now,
	};

	newidle_account(st, set, &o);
}

/* A generator of the tests' own, to owe nothing to the one under test. */
static inline u64 test_random(u64 *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return *s >> 33 | *s << 31;
}

static inline u32 test_below(u64 *s, u32 n)
{
	return (u32)((test_random(s) & UINT32_MAX) % n);
}

/* Times that hurt: both ends, and the steps around powers of two. */
static inline u64 odd_time(u64 *rnd)
{
	switch (test_below(rnd, 5)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return (1ULL << test_below(rnd, 64)) - 1;
	case 3:
		return 1ULL << test_below(rnd, 64);
	default:
		return test_random(rnd);
	}
}

#endif /* NEWIDLE_UNIT_H */
