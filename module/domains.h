/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What newidle knows of each scheduling domain of each CPU.
 *
 * The kernel frees and rebuilds domains (hotplug, cpusets), so nothing of ours
 * lives in them: a per-CPU table indexed by the domain's level remembers which
 * domain an entry was about, and starts again when it is another one.
 */
#ifndef NEWIDLE_DOMAINS_H
#define NEWIDLE_DOMAINS_H

#include <linux/percpu.h>
#include <linux/sched/topology.h>
#include <linux/seqlock.h>
#include "policy.h"

/* x86 has SMT, CLS, MC, PKG and a level for each distance between nodes. */
#define NEWIDLE_LEVELS 16

/**
 * struct newidle_counters - totals of one domain on one CPU
 * @calls: decisions
 * @attempts: decisions to try
 * @skips: decisions to skip
 * @pulls: attempts that pulled a task
 * @cost_ns: time spent in attempts and retries
 * @retries: attempts of a second look
 * @retry_pulls: those that pulled a task
 * @over_budget: walks that ended here, before a decision, because they had cost
 *	as much as this CPU idles; seen by engine swap alone
 * @over_limit: times that it was passed over as beyond max_level
 *
 * All u64, so that they can be summed as an array.
 */
struct newidle_counters {
	u64 calls;
	u64 attempts;
	u64 skips;
	u64 pulls;
	u64 cost_ns;
	u64 retries;
	u64 retry_pulls;
	u64 over_budget;
	u64 over_limit;
};

#define NEWIDLE_NR_COUNTERS (sizeof(struct newidle_counters) / sizeof(u64))

/**
 * struct newidle_domain - one domain of one CPU; written by that CPU with
 *	interrupts off, read by anybody
 * @state: the policy's
 * @sd: the kernel's domain, to compare with only: it may be gone
 * @span_weight: its number of CPUs
 * @flags: its flags
 * @epoch: newidle_epoch when the state was last begun or resumed
 * @width: what kind of domain it is, of enum newidle_level
 * @depth: its place in the CPU's chain of domains, 0 is the lowest
 * @name: its level's name; NULL: the entry was never used
 * @count: totals since load
 * @max_ns: the longest attempt since the last reset
 * @resets: newidle_resets when @max_ns was begun
 */
struct newidle_domain {
	struct newidle_state state;
	const struct sched_domain *sd;
	unsigned int span_weight;
	int flags;
	unsigned int epoch;
	u32 width;
	int depth;
	const char *name;
	struct newidle_counters count;
	u64 max_ns;
	unsigned int resets;
};

/**
 * struct newidle_pass - a walk over a CPU's domains that is under way
 * @spent: time spent in the balancer, ns
 * @skipped: levels that the policy skipped
 * @looked: it had its second look, or none was worth it
 *
 * Begun at the lowest domain; who wants no second look need not begin it.
 */
struct newidle_pass {
	u64 spent;
	u32 skipped;
	bool looked;
};

/**
 * struct newidle_undo - what the kernel booked for a second look, under engine
 *	gate, and how it was before
 * @sd: the domain that was charged; NULL if there is nothing to undo
 * @others: time of attempts at other domains, ns
 * @total: time of all attempts of that look, ns
 * @max_cost: the domain's highest cost before, ns
 * @rq_max_cost: the run queue's highest cost before, ns
 * @last_decay: when the domain's was last touched before, jiffies
 * @when: when it was charged, jiffies
 */
struct newidle_undo {
	const struct sched_domain *sd;
	u64 others;
	u64 total;
	u64 max_cost;
	u64 rq_max_cost;
	unsigned long last_decay;
	unsigned long when;
};

/**
 * struct newidle_cpu - the table of one CPU
 * @cpu: which
 * @seq: lets readers copy counters that belong together
 * @rng: the CPU's dice
 * @in_steps: engine swap is in the balancer, and counts that call itself
 * @pass: the walk that is under way
 * @undo: what the next one has to put right
 * @level: by sched_domain.level; an entry without a name was never used
 */
struct newidle_cpu {
	int cpu;
	seqcount_t seq;
	struct newidle_rng rng;
	bool in_steps;
	struct newidle_pass pass;
	struct newidle_undo undo;
	struct newidle_domain level[NEWIDLE_LEVELS];
};

extern struct newidle_cpu __percpu *newidle_cpus;
extern struct newidle_settings newidle_settings;

int newidle_domains_alloc(void);
void newidle_domains_free(void);
void newidle_domain_bind(struct newidle_domain *d, struct sched_domain *sd,
			 int cpu);
void newidle_domain_describe(struct newidle_domain *d, struct sched_domain *sd);
u32 newidle_domain_width(const struct sched_domain *sd);
bool newidle_domains_set_limit(u32 limit);
void newidle_domains_tell_limit(u32 limit);
void newidle_domain_copy(int cpu, int level, struct newidle_domain *copy);

/* May be read at any time: a domain at a level beyond the table was met. */
extern bool newidle_level_overflow;

/*
 * Grows whenever another policy begins to decide, or about other domains: what
 * went on before, perhaps with nothing booked, is no time of a window.  Written
 * under newidle_lock.
 */
extern unsigned int newidle_epoch;

/* Grows with each reset of the counters.  Written under newidle_lock. */
extern unsigned int newidle_resets;

/* Around changes of what others read; interrupts off, on the CPU of the table. */
static inline void newidle_count_begin(struct newidle_cpu *c)
{
	raw_write_seqcount_begin(&c->seq);
}

static inline void newidle_count_end(struct newidle_cpu *c)
{
	raw_write_seqcount_end(&c->seq);
}

/**
 * newidle_domain_at() - the place of a domain's entry, whatever is in it
 * @c: the table of this CPU
 * @sd: the domain
 *
 * Return: it, or NULL for a level beyond the table.
 */
static inline struct newidle_domain *
newidle_domain_at(struct newidle_cpu *c, const struct sched_domain *sd)
{
	if (likely((unsigned int)sd->level < NEWIDLE_LEVELS))
		return &c->level[sd->level];
	WRITE_ONCE(newidle_level_overflow, true);
	return NULL;
}

/**
 * newidle_domain_get() - our entry for a domain
 * @c: the table of this CPU
 * @sd: the domain
 * @cpu: this CPU
 *
 * Context: interrupts off, on the CPU that owns the table.
 * Return: the entry, begun anew if the domain is another than before, its
 * window resumed now if the policy was away; NULL for a level beyond the table.
 */
static inline struct newidle_domain *
newidle_domain_get(struct newidle_cpu *c, struct sched_domain *sd, int cpu)
{
	struct newidle_domain *d = newidle_domain_at(c, sd);

	if (unlikely(!d))
		return NULL;
	if (unlikely(d->sd != sd || d->span_weight != sd->span_weight ||
		     d->flags != sd->flags ||
		     d->epoch != READ_ONCE(newidle_epoch))) {
		newidle_count_begin(c);
		newidle_domain_bind(d, sd, cpu);
		newidle_count_end(c);
	}
	return d;
}

#endif /* NEWIDLE_DOMAINS_H */
