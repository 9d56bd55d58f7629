// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records what the balancer answers to newly idle CPUs, for the unit tests to
 * play back.
 *
 *	# insmod nib_rec.ko size=20000
 *	# cat /sys/kernel/debug/nib_rec
 *	1234567 3 0 1 1 5120
 *
 * A line is a call: when it began, ns; CPU; level of the domain; tasks pulled;
 * what *continue_balancing said after it; how long it took, ns.  Recording ends
 * when the buffer is full.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/idle.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "nib.h"

static unsigned int size = 20000;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "calls to record");

struct call {
	u64 begin;
	u32 took;
	int cpu;
	int level;
	int pulled;
	int go_on;
	bool done;
};

/* What a probe keeps from the entry to the return. */
struct under_way {
	u64 begin;
	int cpu;
	int level;
	int *go_on;
};

static struct call *calls;
static atomic_t nr_calls;
static struct dentry *file;

/* x86-64: arguments are in di, si, dx, cx, r8. */
static int enters(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct under_way *u = (struct under_way *)ri->data;

	if ((int)regs->cx != CPU_NEWLY_IDLE)
		return 1;
	u->cpu = (int)regs->di;
	u->level = ((struct sched_domain *)regs->dx)->level;
	u->go_on = (int *)regs->r8;
	u->begin = ktime_get_mono_fast_ns();
	return 0;
}

static int returns(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct under_way *u = (struct under_way *)ri->data;
	u64 end = ktime_get_mono_fast_ns();
	struct call *c;
	int n;

	if (atomic_read(&nr_calls) >= size)
		return 0;
	n = atomic_inc_return(&nr_calls) - 1;
	if (n >= size)
		return 0;
	c = &calls[n];
	c->begin = u->begin;
	c->took = end - u->begin;
	c->cpu = u->cpu;
	c->level = u->level;
	c->pulled = (int)regs_return_value(regs);
	c->go_on = *u->go_on;
	smp_store_release(&c->done, true);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler = enters,
	.handler = returns,
	.data_size = sizeof(struct under_way),
};

static int nib_rec_show(struct seq_file *m, void *unused)
{
	struct call *c;

	for (c = calls; c < calls + size && smp_load_acquire(&c->done); c++)
		seq_printf(m, "%llu %d %d %d %d %u\n", c->begin, c->cpu,
			   c->level, c->pulled, c->go_on, c->took);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nib_rec);

static int __init nib_rec_init(void)
{
	int err;

	probe.kp.symbol_name = nib_balancer();
	if (!probe.kp.symbol_name || !size)
		return -ENOENT;
	calls = vzalloc(array_size(size, sizeof(*calls)));
	if (!calls)
		return -ENOMEM;
	probe.maxactive = 4 * num_possible_cpus();
	err = register_kretprobe(&probe);
	if (err) {
		vfree(calls);
		return err;
	}
	file = debugfs_create_file("nib_rec", 0400, NULL, NULL, &nib_rec_fops);
	return 0;
}

static void __exit nib_rec_exit(void)
{
	debugfs_remove(file);
	unregister_kretprobe(&probe);
	vfree(calls);
}

module_init(nib_rec_init);
module_exit(nib_rec_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: records new-idle attempts");
