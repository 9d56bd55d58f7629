/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second look: a pass that pulled nothing tries once more what the policy
 * skipped, if much of the time that this CPU idles on average is left.
 *
 * Context of all functions: as in attempt.h, under RCU.
 */
#ifndef NEWIDLE_RETRY_H
#define NEWIDLE_RETRY_H

#include <linux/rcupdate.h>
#include "domains.h"

struct rq;

u64 newidle_retry_left(struct newidle_cpu *c, const struct rq *rq);
struct sched_domain *newidle_retry_next(struct newidle_cpu *c,
					struct sched_domain *sd, int cpu,
					u64 left, struct newidle_domain **d);
u64 newidle_book_retry(struct newidle_cpu *c, struct newidle_domain *d,
		       bool pulled, u64 begin, u64 end, const struct rq *rq);

/* Engine gate alone. */
void newidle_charge_retry(struct newidle_cpu *c, struct sched_domain *sd,
			  const struct sched_domain *last, u64 cost);
void newidle_undo_prepare(struct newidle_cpu *c, const struct rq *rq,
			  const struct sched_domain *last);
void newidle_undo_retry(struct newidle_cpu *c, struct rq *rq,
			struct sched_domain *sd);

/**
 * newidle_looks_again() - may this pass be followed by a second look?
 * @sd: the domain that it has come to
 *
 * Return: true if the user wants it, a policy of ours decides, and the domain
 * is one of those that we keep books of.
 */
static inline bool newidle_looks_again(const struct sched_domain *sd)
{
	return unlikely(READ_ONCE(newidle_settings.retry)) &&
	       READ_ONCE(newidle_settings.policy) != NEWIDLE_STOCK &&
	       (unsigned int)sd->level < NEWIDLE_LEVELS;
}

/**
 * newidle_pass_begin() - a walk over this CPU's domains begins
 * @c: the table of this CPU
 */
static inline void newidle_pass_begin(struct newidle_cpu *c)
{
	c->pass = (struct newidle_pass){};
}

/**
 * newidle_is_wanted() - is this domain new-idle balance's business?
 * @sd: the domain
 *
 * Return: true if it is.
 */
static inline bool newidle_is_wanted(const struct sched_domain *sd)
{
	return sd->flags & SD_BALANCE_NEWIDLE;
}

/**
 * newidle_lowest() - where a walk over a CPU's domains begins
 * @sd: one of them
 *
 * Return: the lowest one, whatever its flags.
 */
static inline struct sched_domain *newidle_lowest(struct sched_domain *sd)
{
	struct sched_domain *child;

	while ((child = rcu_dereference_raw(sd->child)))
		sd = child;
	return sd;
}

/**
 * newidle_is_first() - is this the first domain that a walk asks about?
 * @sd: one that is wanted
 *
 * Return: true if no lower one is wanted.
 */
static inline bool newidle_is_first(const struct sched_domain *sd)
{
	while ((sd = rcu_dereference_raw(sd->child)))
		if (newidle_is_wanted(sd))
			return false;
	return true;
}

/**
 * newidle_is_last() - is this the last domain that a walk asks a policy about?
 * @sd: one that is wanted
 *
 * Return: true if no wider one is wanted, or only such as are beyond max_level.
 */
static inline bool newidle_is_last(const struct sched_domain *sd)
{
	const u32 limit = READ_ONCE(newidle_settings.max_level);

	while ((sd = rcu_dereference_raw(sd->parent)))
		if (newidle_is_wanted(sd) && newidle_domain_width(sd) <= limit)
			return false;
	return true;
}

#endif /* NEWIDLE_RETRY_H */
