// SPDX-License-Identifier: GPL-2.0-only
/*
 * New-idle balance policies: see policy.h for the context they run in.
 *
 * The proportional policy follows the algorithm of Linux commit 33cf66d88306
 * ("sched/fair: Proportional newidle balance"), the rate term that of NI_RATE
 * (Linux 7.1).
 */
#include "policy.h"

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#else
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define min(a, b)	((a) < (b) ? (a) : (b))
#endif

const char *const newidle_policy_names[NEWIDLE_NR_POLICIES] = {
	[NEWIDLE_STOCK]  = "stock",
	[NEWIDLE_ALWAYS] = "always",
	[NEWIDLE_RANDOM] = "random",
};

const struct newidle_settings newidle_defaults = NEWIDLE_DEFAULTS;

/**
 * newidle_rng_seed() - start a generator
 * @rng: the generator
 * @seed: any number; different seeds give different streams
 */
void newidle_rng_seed(struct newidle_rng *rng, u64 seed)
{
	/* The finaliser of splitmix64 spreads small seeds such as CPU numbers. */
	seed += 0x9e3779b97f4a7c15ULL;
	seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
	seed ^= seed >> 31;
	rng->s = seed ? seed : 1;
}

/**
 * newidle_rng_draw() - a number drawn uniformly from 0 ... NEWIDLE_UNIT - 1
 * @rng: this CPU's generator
 *
 * xorshift64* (Vigna 2016), of which the top bits are the good ones.
 *
 * Return: the number.
 */
u32 newidle_rng_draw(struct newidle_rng *rng)
{
	u64 s = rng->s;

	s ^= s >> 12;
	s ^= s << 25;
	s ^= s >> 27;
	rng->s = s;
	return (s * 0x2545f4914f6cdd1dULL) >> (64 - NEWIDLE_UNIT_SHIFT);
}

/**
 * newidle_state_init() - what a domain starts with, and starts again with
 *	after it was rebuilt
 * @st: state to fill
 * @set: settings in force
 * @now: the CPU's clock, ns
 *
 * Half a window with one success in two, as sd_init() of the kernel does.
 */
void newidle_state_init(struct newidle_state *st,
			const struct newidle_settings *set, u64 now)
{
	u32 window = READ_ONCE(set->window);

	*st = (struct newidle_state){
		.stamp   = now,
		.success = window / 4,
		.calls   = window / 2,
		.window  = window,
		.ratio   = NEWIDLE_UNIT / 2,
	};
}

/**
 * newidle_decide() - is this domain to be tried?
 * @set: settings in force
 * @st: the domain's state
 * @rng: this CPU's generator
 * @weight: set to what a success of this attempt counts, 1 ... NEWIDLE_UNIT
 *
 * A rare attempt stands for the ones that were skipped, so its success weighs
 * as much more as it is rarer.  ratio + 2 of 1024 draws give an attempt.
 *
 * Return: true to try, false to skip and account 0.
 */
bool newidle_decide(const struct newidle_settings *set,
		    const struct newidle_state *st, struct newidle_rng *rng,
		    u32 *weight)
{
	u32 share = 1 + st->ratio;

	*weight = 1;
	if (READ_ONCE(set->policy) != NEWIDLE_RANDOM ||
	    st->ratio >= NEWIDLE_UNIT)
		return true;
	if (newidle_rng_draw(rng) > share)
		return false;
	*weight = (NEWIDLE_UNIT + share / 2) / share;
	return true;
}

/*
 * A window changed by the user keeps the share that was seen so far.  Narrowing
 * may drop calls that the successes came from; no call counts more than one
 * unit, so neither may what is left.
 */
static void rescale(struct newidle_state *st, u32 window)
{
	u32 old = __builtin_ctz(st->window), new = __builtin_ctz(window);

	if (new > old) {
		st->calls <<= new - old;
		st->success <<= new - old;
	} else {
		st->calls >>= old - new;
		st->success >>= old - new;
	}
	st->success = min(st->success, (u64)st->calls << NEWIDLE_UNIT_SHIFT);
	st->window = window;
}

/**
 * newidle_account() - book one decision; at the end of a window, a new ratio
 * @st: the domain's state
 * @set: settings in force
 * @success: 0 for a skip or a failed attempt, else the weight that
 *	newidle_decide() gave
 * @now: the CPU's clock, ns; may go backwards, which counts as no time
 *
 * calls is below the window between calls and grows by one, so a window ends
 * at exactly its length and the divisions are shifts.
 */
void newidle_account(struct newidle_state *st,
		     const struct newidle_settings *set, u32 success, u64 now)
{
	u32 window = READ_ONCE(set->window), shift;
	u64 ratio, rate = 0;

	if (window != st->window)
		rescale(st, window);
	st->calls++;
	st->success += success;
	if (st->calls < window)
		return;

	shift = __builtin_ctz(window);
	ratio = (st->success << NEWIDLE_UNIT_SHIFT) >> shift;
	/* elapsed * 1024 / window >> rate_shift, without the overflow */
	if (READ_ONCE(set->rate) && now > st->stamp)
		rate = (now - st->stamp) >>
		       (READ_ONCE(set->rate_shift) + shift - NEWIDLE_UNIT_SHIFT);
	st->ratio = min(ratio + rate, (u64)NEWIDLE_UNIT);
	st->stamp = now;
	st->calls /= 2;
	st->success /= 2;
}

/**
 * newidle_account_attempt() - book an attempt
 * @st: the domain's state
 * @set: settings in force
 * @pulled: did the attempt pull a task?
 * @weight: from newidle_decide()
 * @cost: measured time of the attempt, ns
 * @now: the CPU's clock, ns
 *
 * An attempt without a measurable cost is not booked, as in the kernel: there
 * a cost of 0 marks a call that only lets the costs decay.
 */
void newidle_account_attempt(struct newidle_state *st,
			     const struct newidle_settings *set, bool pulled,
			     u32 weight, u64 cost, u64 now)
{
	if (cost)
		newidle_account(st, set, pulled ? weight : 0, now);
}
