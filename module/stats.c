// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters as users see them.
 *
 * A reset does not touch what the scheduler's hooks write: it keeps a copy
 * that is subtracted from then on.  What happens where we can't see it reads "-"
 * until the next reset: the kernel's own dice are rolled before we are asked, so
 * with policy stock on a kernel that has them, decisions and skips are unknown;
 * with another livepatch on the balancer attempts are, too; walks that the
 * kernel's cost budget ends are seen by engine swap alone.
 */
#include "log.h"
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
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
static unsigned int lost;	/* NEWIDLE_LOST_... since the last reset */
static struct dentry *debugfs_dir;

/* Values of one domain since the last reset. */
static void read_domain(int cpu, int level, struct newidle_domain *d)
{
	const u64 *base = (u64 *)&per_cpu_ptr(baselines, cpu)->level[level];
	u64 *count = (u64 *)&d->count;
	int i;

	newidle_domain_copy(cpu, level, d);
	for (i = 0; i < NEWIDLE_NR_COUNTERS; i++)
		count[i] -= base[i];
	if (d->resets != newidle_resets)
		d->max_ns = 0;
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
	WRITE_ONCE(newidle_resets, newidle_resets + 1);
	WRITE_ONCE(lost, 0);
	mutex_unlock(&baseline_lock);
}

/**
 * newidle_stats_lose() - from now on others try, skip or end walks
 * @what: which of it, of NEWIDLE_LOST_...
 *
 * Context: process, under newidle_lock.
 */
void newidle_stats_lose(unsigned int what)
{
	WRITE_ONCE(lost, lost | what);
}

/**
 * struct counter - one file of stats/
 * @attr: its sysfs attribute
 * @index: which u64 of struct newidle_counters
 * @lost_by: it is unknown when this is lost
 */
struct counter {
	struct kobj_attribute attr;
	unsigned int index;
	unsigned int lost_by;
};

static ssize_t counter_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	const struct counter *counter = container_of(attr, struct counter, attr);
	struct newidle_domain d;
	u64 sum = 0;
	int cpu, level;

	if (READ_ONCE(lost) & counter->lost_by)
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
	.lost_by = NEWIDLE_LOST_##what,					\
}

COUNTER(calls, SKIPS);
COUNTER(attempts, TRIES);
COUNTER(skips, SKIPS);
COUNTER(pulls, TRIES);
COUNTER(cost_ns, TRIES);
COUNTER(retries, TRIES);
COUNTER(retry_pulls, TRIES);

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

static void show_count(struct seq_file *m, u64 count, unsigned int lost_by)
{
	if (READ_ONCE(lost) & lost_by)
		seq_puts(m, " -");
	else
		seq_printf(m, " %llu", count);
}

/* The kernel's own highest cost of a CPU's domain, or "-" if there is none now. */
static void show_kernel_max(struct seq_file *m, int cpu, int level)
{
	struct sched_domain *sd;

	rcu_read_lock();
	sd = newidle_cpu_domains(cpu);
	while (sd && sd->level != level)
		sd = rcu_dereference(sd->parent);
	if (sd)
		seq_printf(m, " %llu", (u64)READ_ONCE(sd->max_newidle_lb_cost));
	else
		seq_puts(m, " -");
	rcu_read_unlock();
}

static void show_domain(struct seq_file *m, int cpu, int level)
{
	const struct newidle_counters *n;
	struct newidle_domain d;
	u64 tries;

	mutex_lock(&baseline_lock);
	read_domain(cpu, level, &d);
	mutex_unlock(&baseline_lock);
	if (!d.name)
		return;
	n = &d.count;
	tries = n->attempts + n->retries;
	seq_printf(m, "%d %d %d %s %u", cpu, d.depth, level, d.name,
		   d.span_weight);
	show_count(m, n->calls, NEWIDLE_LOST_SKIPS);
	show_count(m, n->attempts, NEWIDLE_LOST_TRIES);
	show_count(m, n->skips, NEWIDLE_LOST_SKIPS);
	show_count(m, n->pulls, NEWIDLE_LOST_TRIES);
	show_count(m, n->cost_ns, NEWIDLE_LOST_TRIES);
	seq_printf(m, " %u %u %llu", d.state.ratio, d.state.calls,
		   d.state.success);
	show_count(m, n->retries, NEWIDLE_LOST_TRIES);
	show_count(m, n->retry_pulls, NEWIDLE_LOST_TRIES);
	seq_printf(m, " %llu %u", div_u64(d.state.credit, 100), d.state.cost);
	show_count(m, n->over_budget, NEWIDLE_LOST_BUDGET);
	show_count(m, n->over_limit, 0);
	show_count(m, d.max_ns, NEWIDLE_LOST_TRIES);
	show_count(m, tries ? div64_u64(n->cost_ns, tries) : 0,
		   NEWIDLE_LOST_TRIES);
	show_kernel_max(m, cpu, level);
	seq_putc(m, '\n');
}

#define DOMAINS_HEADER							\
	"# cpu depth level name span calls attempts skips pulls cost_ns "	\
	"ratio win_calls win_success retries retry_pulls credit_ns try_ns "	\
	"over_budget over_limit max_ns mean_ns kernel_max_ns\n"

static int domains_show(struct seq_file *m, void *v)
{
	int cpu, level;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, DOMAINS_HEADER);
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
