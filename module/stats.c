// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters as users see them.
 *
 * A reset does not touch what the scheduler's hooks write: it keeps a copy
 * that is subtracted from then on.  The kernel's own dice are rolled before we
 * are asked, so with policy stock on a kernel that has them, decisions and
 * skips can't be known; with another livepatch on the balancer, attempts can't
 * either.  From there to the next reset they read "-".
 */
#include "log.h"
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>
#include "domains.h"
#include "engine.h"
#include "kernel.h"
#include "stats.h"

/* What reset subtracts: one array of levels a CPU. */
struct baseline {
	struct newidle_counters level[NEWIDLE_LEVELS];
};

static struct baseline __percpu *baselines;
static DEFINE_MUTEX(baseline_lock);
static bool skips_unknown;
static bool tries_unknown;
static struct dentry *debugfs_dir;

/* Values of one domain since the last reset. */
static void read_domain(int cpu, int level, struct newidle_domain *d)
{
	const struct newidle_counters *base =
		&per_cpu_ptr(baselines, cpu)->level[level];

	newidle_domain_copy(cpu, level, d);
	d->count.calls    -= base->calls;
	d->count.attempts -= base->attempts;
	d->count.skips    -= base->skips;
	d->count.pulls    -= base->pulls;
	d->count.cost_ns  -= base->cost_ns;
	d->count.retries  -= base->retries;
	d->count.retry_pulls -= base->retry_pulls;
}

/**
 * newidle_stats_reset() - all counters begin at 0; the ratios stay
 *
 * Context: process, under newidle_lock, which keeps the policy.
 */
void newidle_stats_reset(void)
{
	struct newidle_domain d;
	int cpu, level;

	mutex_lock(&baseline_lock);
	for_each_possible_cpu(cpu) {
		for (level = 0; level < NEWIDLE_LEVELS; level++) {
			newidle_domain_copy(cpu, level, &d);
			per_cpu_ptr(baselines, cpu)->level[level] = d.count;
		}
	}
	WRITE_ONCE(skips_unknown, false);
	WRITE_ONCE(tries_unknown, false);
	mutex_unlock(&baseline_lock);
}

/** newidle_stats_lose_skips() - somebody else decides, or has decided */
void newidle_stats_lose_skips(void)
{
	WRITE_ONCE(skips_unknown, true);
}

/** newidle_stats_lose_tries() - attempts are made that we do not see */
void newidle_stats_lose_tries(void)
{
	WRITE_ONCE(tries_unknown, true);
}

/**
 * struct counter - one file of stats/
 * @attr: its sysfs attribute
 * @index: which u64 of struct newidle_counters
 * @unknown: tells when it can't be known
 */
struct counter {
	struct kobj_attribute attr;
	unsigned int index;
	const bool *unknown;
};

static ssize_t counter_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	const struct counter *counter = container_of(attr, struct counter, attr);
	struct newidle_domain d;
	u64 sum = 0;
	int cpu, level;

	if (READ_ONCE(*counter->unknown))
		return sysfs_emit(buf, "-\n");
	mutex_lock(&baseline_lock);
	for_each_possible_cpu(cpu) {
		for (level = 0; level < NEWIDLE_LEVELS; level++) {
			read_domain(cpu, level, &d);
			sum += ((const u64 *)&d.count)[counter->index];
		}
	}
	mutex_unlock(&baseline_lock);
	return sysfs_emit(buf, "%llu\n", sum);
}

#define COUNTER(member, what)						\
static struct counter counter_##member = {					\
	.attr = __ATTR(member, 0444, counter_show, NULL),			\
	.index = offsetof(struct newidle_counters, member) / sizeof(u64), \
	.unknown = &what##_unknown,					\
}

COUNTER(calls, skips);
COUNTER(attempts, tries);
COUNTER(skips, skips);
COUNTER(pulls, tries);
COUNTER(cost_ns, tries);
COUNTER(retries, tries);
COUNTER(retry_pulls, tries);

static struct attribute *counter_attrs[] = {
	&counter_calls.attr.attr,
	&counter_attempts.attr.attr,
	&counter_skips.attr.attr,
	&counter_pulls.attr.attr,
	&counter_cost_ns.attr.attr,
	&counter_retries.attr.attr,
	&counter_retry_pulls.attr.attr,
	NULL
};

static const struct attribute_group counter_group = {
	.name = "stats",
	.attrs = counter_attrs,
};

/* debugfs newidle/domains: position 0 is the header, n + 1 is CPU n. */
static void *domains_start(struct seq_file *m, loff_t *pos)
{
	unsigned int cpu;

	if (!*pos)
		return SEQ_START_TOKEN;
	cpu = cpumask_next(*pos - 2, cpu_possible_mask);
	if (cpu >= nr_cpu_ids)
		return NULL;
	*pos = cpu + 1;
	return per_cpu_ptr(newidle_cpus, cpu);
}

static void *domains_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return domains_start(m, pos);
}

static void domains_stop(struct seq_file *m, void *v)
{
}

static void show_count(struct seq_file *m, u64 count, const bool *unknown)
{
	if (READ_ONCE(*unknown))
		seq_puts(m, " -");
	else
		seq_printf(m, " %llu", count);
}

static void show_domain(struct seq_file *m, int cpu, int level)
{
	struct newidle_domain d;

	mutex_lock(&baseline_lock);
	read_domain(cpu, level, &d);
	mutex_unlock(&baseline_lock);
	if (!d.sd)
		return;
	seq_printf(m, "%d %d %d %s %u", cpu, d.depth, level, d.name,
		   d.span_weight);
	show_count(m, d.count.calls, &skips_unknown);
	show_count(m, d.count.attempts, &tries_unknown);
	show_count(m, d.count.skips, &skips_unknown);
	show_count(m, d.count.pulls, &tries_unknown);
	show_count(m, d.count.cost_ns, &tries_unknown);
	seq_printf(m, " %u %u %llu", d.state.ratio, d.state.calls,
		   d.state.success);
	show_count(m, d.count.retries, &tries_unknown);
	show_count(m, d.count.retry_pulls, &tries_unknown);
	seq_printf(m, " %llu %u\n", div_u64(d.state.credit, 100), d.state.cost);
}

static int domains_show(struct seq_file *m, void *v)
{
	int cpu, level;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# cpu depth level name span calls attempts skips pulls cost_ns ratio win_calls win_success retries retry_pulls credit_ns try_ns\n");
		return 0;
	}
	cpu = m->index - 1;
	for (level = 0; level < NEWIDLE_LEVELS; level++)
		show_domain(m, cpu, level);
	return 0;
}

static const struct seq_operations domains_sops = {
	.start = domains_start,
	.next  = domains_next,
	.stop  = domains_stop,
	.show  = domains_show,
};
DEFINE_SEQ_ATTRIBUTE(domains);

static int members_show(struct seq_file *m, void *v)
{
	newidle_members_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(members);

/**
 * newidle_stats_publish() - create the files in sysfs
 * @parent: /sys/kernel/newidle
 *
 * Return: 0 or an error that was logged.
 */
int newidle_stats_publish(struct kobject *parent)
{
	int err;

	baselines = alloc_percpu(struct baseline);
	if (!baselines)
		return -ENOMEM;
	err = sysfs_create_group(parent, &counter_group);
	if (err) {
		pr_err("can't create /sys/kernel/newidle/stats (%d)\n", err);
		free_percpu(baselines);
		return err;
	}
	return 0;
}

/**
 * newidle_stats_publish_domains() - create the files in debugfs
 *
 * Once init can't fail any more: an open file would outlive a module that was
 * never loaded.  debugfs may be missing or locked down; nothing depends on it.
 */
void newidle_stats_publish_domains(void)
{
	debugfs_dir = debugfs_create_dir("newidle", NULL);
	debugfs_create_file("domains", 0444, debugfs_dir, NULL, &domains_fops);
	debugfs_create_file("members", 0444, debugfs_dir, NULL, &members_fops);
}

/**
 * newidle_stats_withdraw() - remove the files
 * @parent: as for newidle_stats_publish()
 *
 * Waits for readers.
 */
void newidle_stats_withdraw(struct kobject *parent)
{
	debugfs_remove(debugfs_dir);
	sysfs_remove_group(parent, &counter_group);
	free_percpu(baselines);
}
