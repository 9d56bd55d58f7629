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
#define max(a, b)	((a) > (b) ? (a) : (b))
#endif

const char *const newidle_policy_names[NEWIDLE_NR_POLICIES] = {
#define NAME(id, name, decide, book)	[NEWIDLE_##id] = name,
	NEWIDLE_POLICIES(NAME)
};

const char *const newidle_level_names[NEWIDLE_NR_LEVEL_NAMES] = {
	[NEWIDLE_SMT]  = "smt",
	[NEWIDLE_LLC]  = "llc",
	[NEWIDLE_NODE] = "node",
	[NEWIDLE_ALL]  = "all",
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
 * @place: whose state it is: neighbours start at different phases
 * @now: the CPU's clock, ns
 *
 * Half a window with one success in two, as sd_init() of the kernel does.
 */
void newidle_state_init(struct newidle_state *st,
			const struct newidle_settings *set, int place, u64 now)
{
	u32 window = READ_ONCE(set->window);

	*st = (struct newidle_state){
		.stamp   = now,
		.success = window / 4,
		.calls   = window / 2,
		.window  = window,
		.ratio   = NEWIDLE_UNIT / 2,
		.due     = place * NEWIDLE_PHASE_STEP % NEWIDLE_UNIT,
	};
}

/*
 * What decides: returns what a success of the attempt counts, 1 ... UNIT, or
 * SKIP.
 */
#define SKIP 0

static u32 decide_always(struct newidle_state *st, struct newidle_rng *rng)
{
	return 1;
}

/*
 * A rare attempt stands for the ones that were skipped, so its success weighs
 * as much more as it is rarer.
 */
static u32 weight_of(u32 ratio)
{
	u32 share = 1 + ratio;

	return (NEWIDLE_UNIT + share / 2) / share;
}

/* ratio + 2 of 1024 draws give an attempt. */
static u32 decide_random(struct newidle_state *st, struct newidle_rng *rng)
{
	if (st->ratio >= NEWIDLE_UNIT)
		return 1;
	if (newidle_rng_draw(rng) > 1 + st->ratio)
		return SKIP;
	return weight_of(st->ratio);
}

/*
 * The same share, evenly: at a constant ratio any 1024 decisions in a row have
 * ratio + 2 attempts, and the distances between them differ by one at most.
 */
static u32 decide_bresenham(struct newidle_state *st, struct newidle_rng *rng)
{
	st->due += min(st->ratio + 2, NEWIDLE_UNIT);
	if (st->due < NEWIDLE_UNIT)
		return SKIP;
	st->due -= NEWIDLE_UNIT;
	return weight_of(st->ratio);
}

/*
 * As long as pulls have won what attempts cost; else a look now and then.  In a
 * domain not tried before patience is 0.
 */
static u32 decide_value(struct newidle_state *st, struct newidle_rng *rng)
{
	if (!st->credit && ++st->skipped < st->patience)
		return SKIP;
	st->skipped = 0;
	return 1;
}

/**
 * newidle_decide() - is this domain to be tried?
 * @set: settings in force
 * @st: the domain's state
 * @rng: this CPU's generator
 * @weight: set to what a success of this attempt counts, 1 ... NEWIDLE_UNIT
 *
 * Return: true to try, false to skip.
 */
bool newidle_decide(const struct newidle_settings *set,
		    struct newidle_state *st, struct newidle_rng *rng,
		    u32 *weight)
{
	u32 count = 1;

	switch (READ_ONCE(set->policy)) {
#define DECIDE(id, name, decide, book)					\
	case NEWIDLE_##id:						\
		count = decide(st, rng);				\
		break;
		NEWIDLE_POLICIES(DECIDE);
	}
	*weight = max(count, 1U);
	return count != SKIP;
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

/*
 * Book a decision, 0 for a skip or a failure; at the end of a window, a new
 * ratio.  calls is below the window between calls and grows by one, so a window
 * ends at exactly its length and the divisions are shifts.
 */
static void book_ratio(struct newidle_state *st,
		       const struct newidle_settings *set,
		       const struct newidle_outcome *o)
{
	u32 window = READ_ONCE(set->window), shift;
	u64 ratio, rate = 0;

	if (window != st->window)
		rescale(st, window);
	st->calls++;
	st->success += o->pulled ? o->weight : 0;
	if (st->calls < window)
		return;

	shift = __builtin_ctz(window);
	ratio = (st->success << NEWIDLE_UNIT_SHIFT) >> shift;
	/* elapsed * 1024 / window >> rate_shift, without the overflow */
	if (READ_ONCE(set->rate) && o->now > st->stamp)
		rate = (o->now - st->stamp) >>
		       (READ_ONCE(set->rate_shift) + shift - NEWIDLE_UNIT_SHIFT);
	st->ratio = min(ratio + rate, (u64)NEWIDLE_UNIT);
	st->stamp = o->now;
	st->calls /= 2;
	st->success /= 2;
}

/* Times are cut off here, at 4.3 s, to keep their products in 64 bits. */
#define LONGEST ((u64)0xffffffff)

/*
 * A pull earns the idle time that it fills, an attempt is charged its own.  The
 * account is never overdrawn, and holds at most NEWIDLE_CREDIT_MAX attempts: as
 * long as that a drought may be, or a change for the worse go unnoticed.  Out of
 * credit, it looks the sooner again the more there is to be won.
 *
 * With times below 2^32, value_cost_pct and 100 below 2^14 and a limit of 2^11
 * attempts no term exceeds 2^57, whatever avg_idle and the cost are.
 */
static void book_value(struct newidle_state *st,
		       const struct newidle_settings *set,
		       const struct newidle_outcome *o)
{
	u64 pct = READ_ONCE(set->value_cost_pct);
	u64 idle = min(o->idle, LONGEST);
	u64 cost = min(o->cost, LONGEST);
	u64 price = cost * pct, credit;

	if (!o->tried)
		return;
	st->skipped = 0;
	if (st->cost) {
		st->cost = st->cost - st->cost / 8 + cost / 8;
	} else {
		st->cost = cost;
		st->credit = price * NEWIDLE_CREDIT_START;
	}
	credit = st->credit;
	if (o->pulled)
		credit += idle * 100;
	credit = credit > price ? credit - price : 0;
	st->credit = min(credit, st->cost * pct * NEWIDLE_CREDIT_MAX);
	st->patience = NEWIDLE_PATIENCE >>
		       ((idle > 16 * cost) + (idle > 64 * cost));
}

/**
 * newidle_account() - book what came of a decision
 * @st: the domain's state
 * @set: settings in force
 * @o: the outcome
 *
 * An attempt without a measurable cost is not booked, as in the kernel: there
 * a cost of 0 marks a call that only lets the costs decay.
 */
void newidle_account(struct newidle_state *st,
		     const struct newidle_settings *set,
		     const struct newidle_outcome *o)
{
	if (o->tried && !o->cost)
		return;
	switch (READ_ONCE(set->policy)) {
#define BOOK(id, name, decide, book)					\
	case NEWIDLE_##id:						\
		book(st, set, o);					\
		break;
		NEWIDLE_POLICIES(BOOK);
	}
}

/**
 * newidle_retry_time() - is a second look at skipped domains worth it?
 * @set: settings in force
 * @idle: the time that this CPU idles on average, ns
 * @spent: time spent in this pass, ns
 *
 * Return: the idle time that is left, ns; 0 if it is too little.
 */
u64 newidle_retry_time(const struct newidle_settings *set, u64 idle, u64 spent)
{
	idle = min(idle, LONGEST);
	if (spent >= idle ||
	    (idle - spent) * 100 < idle * READ_ONCE(set->retry_idle_pct))
		return 0;
	return idle - spent;
}

/**
 * newidle_retry_fits() - may a domain be tried again in what is left?
 * @left: from newidle_retry_time()
 * @spent: time spent in this pass up to now, ns
 * @cost: the domain's highest cost, ns
 *
 * @left is less than the idle time, so that is not exceeded either.
 *
 * Return: true if it may.
 */
bool newidle_retry_fits(u64 left, u64 spent, u64 cost)
{
	return spent < left && cost < left - spent;
}
