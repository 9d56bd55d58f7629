/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What both engines do at one domain: ask the policy, try, book.
 *
 * Context of all functions: a newly idle CPU's scheduler, interrupts off, on
 * the CPU that owns the table.
 */
#ifndef NEWIDLE_ATTEMPT_H
#define NEWIDLE_ATTEMPT_H

#include <linux/sched/clock.h>
#include "domains.h"
#include "kernel.h"

/**
 * newidle_is_too_wide() - is this domain beyond max_level?
 * @d: the domain's entry
 *
 * Return: true if no policy of ours is to be asked about it.
 */
static inline bool newidle_is_too_wide(const struct newidle_domain *d)
{
	return unlikely(d->width > READ_ONCE(newidle_settings.max_level));
}

/**
 * newidle_ask() - ask the policy and count its decision
 * @c: the table of this CPU
 * @d: the domain's entry
 * @may_skip: false: try, whatever the policy would say
 * @weight: set to what a success counts
 *
 * Return: true to try, false to skip.
 */
static inline bool newidle_ask(struct newidle_cpu *c, struct newidle_domain *d,
			       bool may_skip, u32 *weight)
{
	bool try = true;

	*weight = 1;
	if (likely(may_skip))
		try = newidle_decide(&newidle_settings, &d->state, &c->rng,
				     weight);
	newidle_count_begin(c);
	d->count.calls++;
	if (try) {
		d->count.attempts++;
	} else {
		d->count.skips++;
		c->pass.skipped |= BIT(d - c->level);
	}
	newidle_count_end(c);
	return try;
}

/**
 * newidle_book_skip() - book a skip by the policy
 * @d: the domain's entry
 * @cpu: this CPU
 */
static inline void newidle_book_skip(struct newidle_domain *d, int cpu)
{
	const struct newidle_outcome o = { .now = sched_clock_cpu(cpu) };

	newidle_account(&d->state, &newidle_settings, &o);
}

/**
 * newidle_book_attempt() - book an attempt that has come back
 * @c: the table of this CPU
 * @d: the domain's entry
 * @ours: a policy of ours decided it
 * @weight: from newidle_ask()
 * @pulled: did it pull a task?
 * @begin: the CPU's clock before the balancer was called, ns
 * @end: and after
 * @rq: this CPU's run queue
 *
 * The cost is the time around the balancer alone under both engines, so that
 * they agree.
 */
static inline void newidle_book_attempt(struct newidle_cpu *c,
					struct newidle_domain *d, bool ours,
					u32 weight, bool pulled, u64 begin,
					u64 end, const struct rq *rq)
{
	const struct newidle_outcome o = {
		.tried  = true,
		.pulled = pulled,
		.weight = weight,
		.cost   = end > begin ? end - begin : 0,
		.idle   = newidle_rq_avg_idle(rq),
		.now    = end,
	};

	if (ours)
		newidle_account(&d->state, &newidle_settings, &o);
	newidle_count_begin(c);
	c->pass.spent += o.cost;
	d->count.pulls += pulled;
	d->count.cost_ns += o.cost;
	newidle_count_end(c);
}

#endif /* NEWIDLE_ATTEMPT_H */
