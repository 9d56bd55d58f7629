// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes dying last: a task named "dying" that was waited for stays on its CPU
 * for a while before it passes through the scheduler a last time.
 *
 *	# insmod nib_dead.ko ms=1500
 *	# cat /sys/module/nib_dead/parameters/dying	how many do so now
 *
 * exit_rcu() is called when the parent knows already, with preemption off.
 *
 *	# insmod nib_dead.ko gap=2000 on=newidle
 *	# cat /sys/module/nib_dead/parameters/met	how often that function met one
 *
 * With newidle loaded: they stay until newidle is being switched off, and go within
 * the gap between the moment when the kernel marks newidle's functions as in
 * transition and the one when newidle is told of it, which is that many ms long.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "nib.h"

static int ms = 1500;
module_param(ms, int, 0444);
MODULE_PARM_DESC(ms, "how long a task stays, ms");

static int gap;
module_param(gap, int, 0444);
MODULE_PARM_DESC(gap, "how long the kernel takes to tell newidle, ms");

static atomic_t dying;
static bool in_gap;

static int stay;
module_param(stay, int, 0444);
MODULE_PARM_DESC(stay, "how long a task stays in the gap, ms");

static char *on = "balancer";
module_param(on, charp, 0444);
MODULE_PARM_DESC(on, "balancer (default) or newidle: may meet a dying task in the gap");

static int met;
module_param(met, int, 0444);
MODULE_PARM_DESC(met, "how often it did");

static int get_dying(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&dying));
}

static const struct kernel_param_ops dying_ops = {
	.get = get_dying,
};
module_param_cb(dying, &dying_ops, NULL, 0444);
MODULE_PARM_DESC(dying, "tasks that stay at the moment");

static int nib_dead_stay(struct kprobe *probe, struct pt_regs *regs)
{
	/* The clock's time, as a virtual CPU does not always run. */
	unsigned long end = jiffies + msecs_to_jiffies(ms);

	if (strcmp(current->comm, "dying"))
		return 0;
	atomic_inc(&dying);
	while (time_before(jiffies, end) && !READ_ONCE(in_gap))
		mdelay(1);
	if (READ_ONCE(in_gap))
		mdelay(stay);
	atomic_dec(&dying);
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "exit_rcu",
	.pre_handler = nib_dead_stay,
};

static int nib_dead_widen(struct kprobe *probe, struct pt_regs *regs)
{
	WRITE_ONCE(in_gap, true);
	mdelay(gap);
	WRITE_ONCE(in_gap, false);
	return 0;
}

static struct kprobe gap_probe = {
	.symbol_name = "newidle:before_unpatching",
	.pre_handler = nib_dead_widen,
};

/* No kprobe: they don't nest. */
static void notrace nib_dead_meet(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (READ_ONCE(in_gap) && !strcmp(current->comm, "dying"))
		met++;
}

static struct ftrace_ops meeting = {
	.func = nib_dead_meet,
};

static int open_gap(void)
{
	const char *name = nib_target(on);
	int err;

	if (!name)
		return -ENOENT;
	err = register_kprobe(&gap_probe);
	if (err)
		return err;
	err = ftrace_set_filter(&meeting, (unsigned char *)name, strlen(name), 1);
	if (!err)
		err = register_ftrace_function(&meeting);
	if (err)
		unregister_kprobe(&gap_probe);
	return err;
}

static int __init nib_dead_init(void)
{
	int err = register_kprobe(&probe);

	if (err || !gap)
		return err;
	err = open_gap();
	if (err)
		unregister_kprobe(&probe);
	return err;
}

static void __exit nib_dead_exit(void)
{
	if (gap) {
		unregister_ftrace_function(&meeting);
		unregister_kprobe(&gap_probe);
	}
	unregister_kprobe(&probe);
}

module_init(nib_dead_init);
module_exit(nib_dead_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: tasks that take their time to die");
