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
typedef uint16_t u16;
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

/** From one phase of bresenham to the next; prime to NEWIDLE_UNIT, near its golden section. */
#define NEWIDLE_PHASE_STEP	633U
/** And from a CPU's domain to the next wider one, in such steps. */
#define NEWIDLE_DEPTH_STEP	61

/** value: after so many skips it tries once, to see whether times have changed. */
#define NEWIDLE_PATIENCE		64U
/** value: the credit of an unknown domain, and the most that it may be, in attempts. */
#define NEWIDLE_CREDIT_START	256U
#define NEWIDLE_CREDIT_MAX	2048U

#define NEWIDLE_COST_PCT_MIN		1U
#define NEWIDLE_COST_PCT_MAX		10000U
#define NEWIDLE_COST_PCT_DEFAULT	100U

/*
 * All policies, in the order in which users see them: what it is called, what
 * decides, what books an attempt or a skip (see policy.c).
 *
 *	stock		as the running kernel does by itself
 *	always		every eligible domain is tried
 *	random		NI_RANDOM; with the rate term also NI_RATE
 *	bresenham	random's share of attempts, evenly spread instead of diced
 *	value		as long as what is won pays for what is spent
 */
#define NEWIDLE_POLICIES(row)						\
	row(STOCK,     "stock",     decide_always,    book_ratio)	\
	row(ALWAYS,    "always",    decide_always,    book_ratio)	\
	row(RANDOM,    "random",    decide_random,    book_ratio)	\
	row(BRESENHAM, "bresenham", decide_bresenham, book_ratio)	\
	row(VALUE,     "value",     decide_value,     book_value)

/* How far new-idle balance may look: the domains of a kind and narrower ones. */
enum newidle_level {
	NEWIDLE_SMT,	/* threads of a core */
	NEWIDLE_LLC,	/* CPUs that share the last-level cache */
	NEWIDLE_NODE,	/* within a NUMA node */
	NEWIDLE_ALL,
	NEWIDLE_NR_LEVEL_NAMES
};

#define NEWIDLE_RETRY_PCT_MIN		1U
#define NEWIDLE_RETRY_PCT_MAX		100U
#define NEWIDLE_RETRY_PCT_DEFAULT	50U

enum newidle_policy {
#define NEWIDLE_ENUM(id, name, decide, book)	NEWIDLE_##id,
	NEWIDLE_POLICIES(NEWIDLE_ENUM) NEWIDLE_NR_POLICIES
};

/**
 * struct newidle_settings - what the user chose; written by the knobs
 * @policy: one of enum newidle_policy
 * @rate: 1 adds the rate term to the ratio at the end of a window, else 0
 * @rate_shift: strength of the rate term, NEWIDLE_RATE_SHIFT_MIN ... _MAX;
 *	one more halves it
 * @window: accounted events that end a window, a power of two,
 *	NEWIDLE_WINDOW_MIN ... _MAX
 * @value_cost_pct: what policy value takes an attempt to cost, in percent of
 *	its measured time, NEWIDLE_COST_PCT_MIN ... _MAX
 * @retry: 1 goes over the skipped domains once more if much idle time is left
 * @retry_idle_pct: how much of the average, percent, NEWIDLE_RETRY_PCT_MIN ... _MAX
 * @max_level: one of enum newidle_level, the widest that may be tried
 * @cost_bump: 1 books 3/2 of the highest cost for a failed attempt
 *
 * Every member is a u32 so that one writer serves all knobs.
 */
struct newidle_settings {
	u32 policy;
	u32 rate;
	u32 rate_shift;
	u32 window;
	u32 value_cost_pct;
	u32 retry;
	u32 retry_idle_pct;
	u32 max_level;
	u32 cost_bump;
};

/**
 * struct newidle_state - what the policies remember of one domain on one CPU;
 *	policies that book in another way leave each other's members alone
 * @stamp: when the current window began, ns
 * @success: weighted successes of the current window, at most
 *	NEWIDLE_UNIT a call
 * @calls: accounted events of the current window, below @window between calls
 * @window: the window that @calls and @success are scaled to
 * @ratio: share of attempts that succeed, 0 ... NEWIDLE_UNIT
 * @due: bresenham: how much of the next attempt is due, below NEWIDLE_UNIT
 * @credit: value: idle time won less time spent, never below 0, 1/100 ns
 * @cost: value: moving average of an attempt's time, ns; 0 before the first
 * @skipped: value: decisions to skip since the last attempt
 * @patience: value: out of credit, one decision in so many tries
 */
struct newidle_state {
	u64 stamp;
	u64 success;
	u32 calls;
	u32 window;
	u32 ratio;
	u32 due;
	u64 credit;
	u32 cost;
	u16 skipped;
	u16 patience;
};

/**
 * struct newidle_outcome - what came of a decision
 * @tried: an attempt was made; the rest, but for @now, is about it
 * @pulled: it pulled a task
 * @weight: from newidle_decide()
 * @cost: its measured time, ns
 * @idle: the time that this CPU idles on average, which a pull wins, ns
 * @now: the CPU's clock, ns; may go backwards
 */
struct newidle_outcome {
	bool tried;
	bool pulled;
	u32 weight;
	u64 cost;
	u64 idle;
	u64 now;
};

/**
 * struct newidle_rng - one random number generator per CPU
 * @s: state, never 0 after newidle_rng_seed()
 */
struct newidle_rng {
	u64 s;
};

extern const char *const newidle_policy_names[NEWIDLE_NR_POLICIES];
extern const char *const newidle_level_names[NEWIDLE_NR_LEVEL_NAMES];

/* What upstream settled on in 7.1, for a kernel that does not have it. */
#define NEWIDLE_DEFAULTS {				\
	.policy     = NEWIDLE_RANDOM,			\
	.rate       = 1,				\
	.rate_shift = NEWIDLE_RATE_SHIFT_DEFAULT,	\
	.window     = NEWIDLE_WINDOW_DEFAULT,		\
	.value_cost_pct = NEWIDLE_COST_PCT_DEFAULT,	\
	.retry_idle_pct = NEWIDLE_RETRY_PCT_DEFAULT,	\
	.max_level      = NEWIDLE_ALL,			\
}

extern const struct newidle_settings newidle_defaults;

void newidle_rng_seed(struct newidle_rng *rng, u64 seed);
u32 newidle_rng_draw(struct newidle_rng *rng);

void newidle_state_init(struct newidle_state *st,
			const struct newidle_settings *set, int place, u64 now);
bool newidle_decide(const struct newidle_settings *set,
		    struct newidle_state *st, struct newidle_rng *rng,
		    u32 *weight);
void newidle_account(struct newidle_state *st,
		     const struct newidle_settings *set,
		     const struct newidle_outcome *o);

u64 newidle_retry_time(const struct newidle_settings *set, u64 idle, u64 spent);
bool newidle_retry_fits(u64 left, u64 spent, u64 cost);

#endif /* NEWIDLE_POLICY_H */
