// SPDX-License-Identifier: GPL-2.0-only
/* Per-CPU tables of policy states and counters: see domains.h. */
#include "log.h"
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include "compat.h"
#include "domains.h"
#include "kernel.h"

struct newidle_cpu __percpu *newidle_cpus __read_mostly;
bool newidle_level_overflow;
unsigned int newidle_epoch;
unsigned int newidle_resets;

/**
 * newidle_domains_alloc() - tables for all possible CPUs
 *
 * Return: 0 or -ENOMEM.
 */
int newidle_domains_alloc(void)
{
	u64 seed = sched_clock();
	int cpu;

	newidle_cpus = alloc_percpu(struct newidle_cpu);
	if (!newidle_cpus) {
		pr_err("no memory for the per-CPU tables\n");
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		struct newidle_cpu *c = per_cpu_ptr(newidle_cpus, cpu);

		c->cpu = cpu;
		seqcount_init(&c->seq);
		newidle_rng_seed(&c->rng, seed + cpu);
	}
	return 0;
}

/** newidle_domains_free() - nobody may be in the scheduler's hooks any more */
void newidle_domains_free(void)
{
	free_percpu(newidle_cpus);
	newidle_cpus = NULL;
}

/**
 * newidle_domain_width() - what kind of domain it is
 * @sd: the domain
 *
 * By flags, since the names of levels vary.
 *
 * Return: one of enum newidle_level.
 */
u32 newidle_domain_width(const struct sched_domain *sd)
{
	if (sd->flags & SD_SHARE_CPUCAPACITY)
		return NEWIDLE_SMT;
	if (sd->flags & SD_SHARE_LLC)
		return NEWIDLE_LLC;
	return sd->flags & SD_NUMA ? NEWIDLE_ALL : NEWIDLE_NODE;
}

/* Which kinds this machine has now, one bit for each of enum newidle_level. */
static u32 widths(void)
{
	struct sched_domain *sd;
	u32 found = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		rcu_read_lock();
		for (sd = newidle_cpu_domains(cpu); sd;
		     sd = rcu_dereference(sd->parent))
			if (sd->flags & SD_BALANCE_NEWIDLE)
				found |= BIT(newidle_domain_width(sd));
		rcu_read_unlock();
	}
	return found;
}

/**
 * newidle_domains_set_limit() - choose how wide new-idle balance may look
 * @limit: one of enum newidle_level
 *
 * Windows of domains that are let in again do not contain the time without.
 *
 * Context: newidle_lock held.
 * Return: true if it was another before.
 */
bool newidle_domains_set_limit(u32 limit)
{
	if (newidle_settings.max_level == limit)
		return false;
	WRITE_ONCE(newidle_settings.max_level, limit);
	WRITE_ONCE(newidle_epoch, newidle_epoch + 1);
	return true;
}

/**
 * newidle_domains_tell_limit() - say what a limit comes to if there are no
 *	domains of that kind: the next narrower one
 * @limit: one of enum newidle_level
 *
 * Context: process.
 */
void newidle_domains_tell_limit(u32 limit)
{
	u32 found = widths();
	u32 narrower = found & (BIT(limit) - 1);

	if (limit == NEWIDLE_ALL || (found & BIT(limit)))
		return;
	if (narrower)
		pr_info_ratelimited("max_level=%s: this machine has no such domains, so it comes to %s\n",
				    newidle_level_names[limit],
				    newidle_level_names[fls(narrower) - 1]);
	else
		pr_info_ratelimited("max_level=%s: this machine has no such domains nor narrower ones, so nothing is tried\n",
				    newidle_level_names[limit]);
}

static bool is_bound(const struct newidle_domain *d,
		     const struct sched_domain *sd)
{
	return d->sd == sd && d->span_weight == sd->span_weight &&
	       d->flags == sd->flags;
}

/**
 * newidle_domain_describe() - note what kind of domain an entry is about
 * @d: the entry
 * @sd: the domain
 *
 * Context: as newidle_domain_get(); the caller's RCU section keeps @sd.
 */
void newidle_domain_describe(struct newidle_domain *d, struct sched_domain *sd)
{
	struct sched_domain *child = rcu_dereference_raw(sd->child);
	int depth = 0;

	for (; child; child = rcu_dereference_raw(child->child))
		depth++;
	d->depth = depth;
	d->width = newidle_domain_width(sd);
	d->name = newidle_sd_name(sd);
	d->span_weight = sd->span_weight;
	d->flags = sd->flags;
}

/**
 * newidle_domain_bind() - begin an entry for a domain not seen before, or
 *	resume it after the policy was away
 * @d: the entry
 * @sd: the domain
 * @cpu: this CPU
 *
 * The counters go on: they are totals of the level.
 *
 * Context: as newidle_domain_describe().
 */
void newidle_domain_bind(struct newidle_domain *d, struct sched_domain *sd,
			 int cpu)
{
	u64 now = sched_clock_cpu(cpu);

	d->epoch = READ_ONCE(newidle_epoch);
	if (is_bound(d, sd)) {
		d->state.stamp = now;
		return;
	}
	newidle_domain_describe(d, sd);
	/* Neighbours on either side begin at other phases. */
	newidle_state_init(&d->state, &newidle_settings,
			   cpu + NEWIDLE_DEPTH_STEP * d->depth, now);
	d->sd = sd;
}

/**
 * newidle_domain_copy() - one entry, with counters that belong together
 * @cpu: whose table
 * @level: which entry, below NEWIDLE_LEVELS
 * @copy: filled; its name is NULL if the entry was never used
 *
 * Context: any CPU.  The policy's state is copied as it comes.
 */
void newidle_domain_copy(int cpu, int level, struct newidle_domain *copy)
{
	struct newidle_cpu *c = per_cpu_ptr(newidle_cpus, cpu);
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&c->seq);
		*copy = c->level[level];
	} while (read_seqcount_retry(&c->seq, seq));
}
