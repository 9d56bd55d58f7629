// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel's own new-idle balance has booked, domain by domain:
 *
 *	# insmod nib_sd.ko
 *	# cat /sys/kernel/debug/nib_sd
 *	cpu level call success ratio stamp
 *	0 1 512 256 512 -
 *
 * A probe at the balancer's entry learns the domains as they come along, so
 * a line appears once the CPU has tried the domain.  Domains must not be
 * rebuilt meanwhile.  stamp is the age in ms, "-" where the kernel has none.
 *
 * A kernel that has no dice of its own has no such books: "-".
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include "nib.h"

#define LEVELS 8
#define CPUS 64

static struct sched_domain *domains[CPUS][LEVELS];
static struct dentry *file;

/* The balancer's first argument is the CPU, its third the domain. */
static int learn(struct kprobe *p, struct pt_regs *regs)
{
	unsigned int cpu = regs_get_kernel_argument(regs, 0);
	struct sched_domain *sd = (void *)regs_get_kernel_argument(regs, 2);

	if (cpu < CPUS && sd->level < LEVELS)
		WRITE_ONCE(domains[cpu][sd->level], sd);
	return 0;
}

static struct kprobe probe = { .pre_handler = learn };

static void show_ratio(struct seq_file *m, const struct sched_domain *sd)
{
#ifdef NIB_RATIO
	seq_printf(m, "%u %u %u ", READ_ONCE(sd->newidle_call),
		   READ_ONCE(sd->newidle_success),
		   READ_ONCE(sd->newidle_ratio));
#else
	seq_puts(m, "- - - ");
#endif
}

static void show_stamp(struct seq_file *m, const struct sched_domain *sd)
{
#ifdef NIB_STAMP
	s64 age = sched_clock() - READ_ONCE(sd->newidle_stamp);

	seq_printf(m, "%lld\n", age / NSEC_PER_MSEC);
#else
	seq_puts(m, "-\n");
#endif
}

static int nib_sd_show(struct seq_file *m, void *unused)
{
	const struct sched_domain *sd;
	int cpu, level;

	seq_puts(m, "cpu level call success ratio stamp\n");
	for (cpu = 0; cpu < CPUS; cpu++) {
		for (level = 0; level < LEVELS; level++) {
			sd = READ_ONCE(domains[cpu][level]);
			if (!sd)
				continue;
			seq_printf(m, "%d %d ", cpu, level);
			show_ratio(m, sd);
			show_stamp(m, sd);
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nib_sd);

static int __init nib_sd_init(void)
{
	int err;

	probe.symbol_name = nib_balancer();
	if (!probe.symbol_name)
		return -ENOENT;
	err = register_kprobe(&probe);
	if (err)
		return err;
	file = debugfs_create_file("nib_sd", 0444, NULL, NULL, &nib_sd_fops);
	return 0;
}

static void __exit nib_sd_exit(void)
{
	debugfs_remove(file);
	unregister_kprobe(&probe);
}

module_init(nib_sd_init);
module_exit(nib_sd_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: shows the kernel's own new-idle books");
