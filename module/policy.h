/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The new-idle balance policies: decisions and accounting alone.
 *
 * Knows no scheduler type and calls nothing, so that the kernel module, the
 * unit tests and the user-space tools compile the same file.  All functions
 * run in the scheduler's new-idle path: interrupts off, one CPU per state, no
 * locks, no allocation.  Settings are read with READ_ONCE and may change
 * between two calls.
 */
#ifndef NEWIDLE_POLICY_H
#define NEWIDLE_POLICY_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

/** Ratios and weights are in 1/1024. */
#define NEWIDLE_UNIT		1024U
#define NEWIDLE_UNIT_SHIFT	10

#define NEWIDLE_WINDOW_MIN	64U
#define NEWIDLE_WINDOW_MAX	65536U
#define NEWIDLE_WINDOW_DEFAULT	1024U

#define NEWIDLE_RATE_SHIFT_MIN		16U
#define NEWIDLE_RATE_SHIFT_MAX		34U
#define NEWIDLE_RATE_SHIFT_DEFAULT	22U

enum newidle_policy {
	NEWIDLE_STOCK,	/* as the running kernel does by itself */
	NEWIDLE_ALWAYS,	/* every eligible domain is tried */
	NEWIDLE_RANDOM,	/* NI_RANDOM; with the rate term also NI_RATE */
	NEWIDLE_NR_POLICIES
};

/**
 * struct newidle_settings - what the user chose; written by the knobs
 * @policy: one of enum newidle_policy
 * @rate: 1 adds the rate term to the ratio at the end of a window, else 0
 * @rate_shift: strength of the rate term, NEWIDLE_RATE_SHIFT_MIN ... _MAX;
 *	one more halves it
 * @window: accounted events that end a window, a power of two,
 *	NEWIDLE_WINDOW_MIN ... _MAX
 *
 * Every member is a u32 so that one writer serves all knobs.
 */
struct newidle_settings {
	u32 policy;
	u32 rate;
	u32 rate_shift;
	u32 window;
};

/**
 * struct newidle_state - what a policy remembers of one domain on one CPU
 * @stamp: when the current window began, ns
 * @success: weighted successes of the current window, at most
 *	NEWIDLE_UNIT a call
 * @calls: accounted events of the current window, below @window between calls
 * @window: the window that @calls and @success are scaled to
 * @ratio: share of attempts that succeed, 0 ... NEWIDLE_UNIT
 */
struct newidle_state {
	u64 stamp;
	u64 success;
	u32 calls;
	u32 window;
	u32 ratio;
};

/**
 * struct newidle_rng - one random number generator per CPU
 * @s: state, never 0 after newidle_rng_seed()
 */
struct newidle_rng {
	u64 s;
};

extern const char *const newidle_policy_names[NEWIDLE_NR_POLICIES];

/* What upstream settled on in 7.1, for a kernel that does not have it. */
#define NEWIDLE_DEFAULTS {				\
	.policy     = NEWIDLE_RANDOM,			\
	.rate       = 1,				\
	.rate_shift = NEWIDLE_RATE_SHIFT_DEFAULT,	\
	.window     = NEWIDLE_WINDOW_DEFAULT,		\
}

extern const struct newidle_settings newidle_defaults;

void newidle_rng_seed(struct newidle_rng *rng, u64 seed);
u32 newidle_rng_draw(struct newidle_rng *rng);

void newidle_state_init(struct newidle_state *st,
			const struct newidle_settings *set, u64 now);
bool newidle_decide(const struct newidle_settings *set,
		    const struct newidle_state *st, struct newidle_rng *rng,
		    u32 *weight);
void newidle_account(struct newidle_state *st,
		     const struct newidle_settings *set, u32 success, u64 now);
void newidle_account_attempt(struct newidle_state *st,
			     const struct newidle_settings *set, bool pulled,
			     u32 weight, u64 cost, u64 now);

#endif /* NEWIDLE_POLICY_H */
