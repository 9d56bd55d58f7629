// SPDX-License-Identifier: GPL-2.0-only
/*
 * What both engines share of the second look: see retry.h.
 *
 * Engine gate makes it inside the kernel's call for the last domain, so the
 * kernel books its time there.  That is put right at the next pass.
 */
#include "log.h"
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include "attempt.h"
#include "kernel.h"
#include "retry.h"

/* Somebody to run has come by himself; not every kernel tells engine gate. */
static bool has_work(const struct rq *rq)
{
	if (newidle_has(NEWIDLE_RQ_NR_RUNNING) &&
	    READ_ONCE(*(unsigned int *)newidle_at(rq, NEWIDLE_RQ_NR_RUNNING)))
		return true;
	return newidle_has(NEWIDLE_RQ_TTWU_PENDING) &&
	       READ_ONCE(*(unsigned int *)newidle_at(rq, NEWIDLE_RQ_TTWU_PENDING));
}

/**
 * newidle_retry_left() - is there to be a second look?
 * @c: the table of this CPU
 * @rq: its run queue
 *
 * To be asked when the pass has come to its last domain, has pulled nothing and
 * may go on.  Behind that there may be domains beyond max_level, for which the
 * answer is no.
 *
 * Return: the idle time that is left for it, ns; 0: no.
 */
u64 newidle_retry_left(struct newidle_cpu *c, const struct rq *rq)
{
	if (!c->pass.skipped || c->pass.looked || has_work(rq))
		return 0;
	c->pass.looked = true;
	return newidle_retry_time(&newidle_settings, newidle_rq_avg_idle(rq),
				  c->pass.spent);
}

/* Skipped by the policy, within the last-level cache, and not too dear. */
static struct newidle_domain *candidate(struct newidle_cpu *c,
					struct sched_domain *sd, int cpu,
					u64 left)
{
	struct newidle_domain *d;

	if ((unsigned int)sd->level >= NEWIDLE_LEVELS ||
	    !(c->pass.skipped & BIT(sd->level)) ||
	    !newidle_retry_fits(left, c->pass.spent, sd->max_newidle_lb_cost))
		return NULL;
	d = newidle_domain_get(c, sd, cpu);
	return d->width <= NEWIDLE_LLC ? d : NULL;
}

/**
 * newidle_retry_next() - what does the second look try next?
 * @c: the table of this CPU
 * @sd: the domain to go on with; may be NULL
 * @cpu: this CPU
 * @left: from newidle_retry_left()
 * @d: set to the entry of the domain returned
 *
 * Return: @sd or a wider domain, or NULL.
 */
struct sched_domain *newidle_retry_next(struct newidle_cpu *c,
					struct sched_domain *sd, int cpu,
					u64 left, struct newidle_domain **d)
{
	for (; sd; sd = rcu_dereference_raw(sd->parent)) {
		*d = candidate(c, sd, cpu, left);
		if (*d)
			return sd;
	}
	return NULL;
}

/**
 * newidle_book_retry() - book an attempt of the second look
 * @c: the table of this CPU
 * @d: the domain's entry
 * @pulled: did it pull a task?
 * @begin: the CPU's clock before the balancer was called, ns
 * @end: and after
 * @rq: this CPU's run queue
 *
 * It counts 1, as it was made for another reason than the policy's.
 *
 * Return: its time, ns; 0 if the clock went backwards.
 */
u64 newidle_book_retry(struct newidle_cpu *c, struct newidle_domain *d,
		       bool pulled, u64 begin, u64 end, const struct rq *rq)
{
	const struct newidle_outcome o = {
		.tried  = true,
		.pulled = pulled,
		.weight = 1,
		.cost   = end > begin ? end - begin : 0,
		.idle   = newidle_rq_avg_idle(rq),
		.now    = end,
	};

	newidle_account(&d->state, &newidle_settings, &o);
	newidle_count_done(c, d, pulled, o.cost, true);
	return o.cost;
}

/**
 * newidle_undo_prepare() - note how things are before the kernel books a
 *	second look
 * @c: the table of this CPU
 * @rq: its run queue
 * @last: the domain that the kernel is about to charge
 */
void newidle_undo_prepare(struct newidle_cpu *c, const struct rq *rq,
			  const struct sched_domain *last)
{
	c->undo = (struct newidle_undo){
		.sd = last,
		.max_cost = last->max_newidle_lb_cost,
		.rq_max_cost = *(u64 *)newidle_at(rq, NEWIDLE_RQ_MAX_COST),
		.last_decay = last->last_decay_max_lb_cost,
		.when = jiffies,
	};
}

/**
 * newidle_charge_retry() - charge a domain of the second look, as the kernel
 *	does where it knows of an attempt
 * @c: the table of this CPU
 * @sd: the domain
 * @last: the domain that the kernel charges for all of them
 * @cost: time of the attempt, ns
 */
void newidle_charge_retry(struct newidle_cpu *c, struct sched_domain *sd,
			  const struct sched_domain *last, u64 cost)
{
	c->undo.total += cost;
	if (sd == last)
		return;
	c->undo.others += cost;
	if (cost > sd->max_newidle_lb_cost) {
		sd->max_newidle_lb_cost = cost;
		sd->last_decay_max_lb_cost = jiffies;
	}
}

/* What is left of a raised cost without the time that does not belong to it. */
static u64 without(u64 raised, u64 time, u64 before)
{
	return max(before, raised - min(raised, time));
}

/**
 * newidle_undo_retry() - take the second look's time off what the kernel booked
 * @c: the table of this CPU
 * @rq: its run queue
 * @sd: the first domain of a pass; the one that was charged may be gone
 *
 * A cost that has not risen needs nothing.  Another CPU, which balances for
 * idle ones, may have let it decay meanwhile.
 */
void newidle_undo_retry(struct newidle_cpu *c, struct rq *rq,
			struct sched_domain *sd)
{
	u64 *rq_max_cost = newidle_at(rq, NEWIDLE_RQ_MAX_COST);
	struct newidle_undo u = c->undo;

	c->undo.sd = NULL;
	if (*rq_max_cost > u.rq_max_cost)
		*rq_max_cost = without(*rq_max_cost, u.total, u.rq_max_cost);

	while (sd && sd != u.sd)
		sd = rcu_dereference_raw(sd->parent);
	if (!sd || sd->max_newidle_lb_cost <= u.max_cost)
		return;
	sd->max_newidle_lb_cost = without(sd->max_newidle_lb_cost, u.others,
					  u.max_cost);
	if (sd->max_newidle_lb_cost > u.max_cost)
		return;
	/* It would not have risen, so the last touch was the one before. */
	if (sd->last_decay_max_lb_cost - u.when <= 1)
		sd->last_decay_max_lb_cost = u.last_decay;
	else
		sd->max_newidle_lb_cost = u.max_cost * 253 / 256;
}
