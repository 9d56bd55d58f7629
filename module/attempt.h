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
#include "trace.h"

/* @by says who decided, of trace.h. */
static inline void newidle_trace_decision(const struct newidle_cpu *c,
					  const struct newidle_domain *d,
					  bool try, unsigned int by,
					  const struct rq *rq)
{
	if (trace_newidle_decide_enabled())
		trace_newidle_decide(c->cpu, d, try, by, newidle_rq_avg_idle(rq));
}

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
 * newidle_pass_over() - count a domain beyond max_level, which is no decision
 * @c: the table of this CPU
 * @d: the domain's entry
 * @rq: this CPU's run queue
 */
static inline void newidle_pass_over(struct newidle_cpu *c,
				     struct newidle_domain *d,
				     const struct rq *rq)
{
	newidle_count_begin(c);
	d->count.over_limit++;
	newidle_count_end(c);
	newidle_trace_decision(c, d, false, NEWIDLE_BY_LIMIT, rq);
}

/**
 * newidle_give_up() - count a walk that ends before a domain, for its cost
 * @c: the table of this CPU
 * @sd: the domain
 * @rq: this CPU's run queue
 *
 * Not if new-idle balance would not have asked about it anyway.  It is no
 * decision, so the policy's state does not begin with it, but with the next.
 */
static inline void newidle_give_up(struct newidle_cpu *c,
				   struct sched_domain *sd, const struct rq *rq)
{
	struct newidle_domain *d = newidle_domain_at(c, sd);

	if (!d || !(sd->flags & SD_BALANCE_NEWIDLE))
		return;
	newidle_count_begin(c);
	if (unlikely(!d->name || d->span_weight != sd->span_weight ||
		     d->flags != sd->flags)) {
		newidle_domain_describe(d, sd);
		d->sd = NULL;
	}
	d->count.over_budget++;
	newidle_count_end(c);
	newidle_trace_decision(c, d, false, NEWIDLE_BY_BUDGET, rq);
}

/**
 * newidle_ask() - ask the policy and count its decision
 * @c: the table of this CPU
 * @d: the domain's entry
 * @may_skip: false: try, whatever the policy would say
 * @rq: this CPU's run queue
 * @weight: set to what a success counts
 *
 * Return: true to try, false to skip.
 */
static inline bool newidle_ask(struct newidle_cpu *c, struct newidle_domain *d,
			       bool may_skip, const struct rq *rq, u32 *weight)
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
	newidle_trace_decision(c, d, try, NEWIDLE_BY_POLICY, rq);
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
 * newidle_count_done() - count an attempt that has come back
 * @c: the table of this CPU
 * @d: the domain's entry
 * @pulled: did it pull a task?
 * @cost: its time, ns
 * @retry: it was one of a second look
 */
static inline void newidle_count_done(struct newidle_cpu *c,
				      struct newidle_domain *d, bool pulled,
				      u64 cost, bool retry)
{
	const unsigned int resets = READ_ONCE(newidle_resets);

	newidle_count_begin(c);
	c->pass.spent += cost;
	if (retry) {
		d->count.retries++;
		d->count.retry_pulls += pulled;
	} else {
		d->count.pulls += pulled;
	}
	d->count.cost_ns += cost;
	if (cost > d->max_ns || d->resets != resets) {
		d->max_ns = cost;
		d->resets = resets;
	}
	newidle_count_end(c);
	trace_newidle_done(c->cpu, d, pulled, cost, retry);
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
	newidle_count_done(c, d, pulled, o.cost, false);
}

#endif /* NEWIDLE_ATTEMPT_H */
