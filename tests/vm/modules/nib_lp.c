// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another livepatch on the function that newidle patches.
 *
 *	# insmod nib_lp.ko [replace=1]
 *	# cat /sys/module/nib_lp/parameters/calls	it is in use if this grows
 *	# echo 0 > /sys/kernel/livepatch/nib_lp/enabled; ...; rmmod nib_lp
 *
 * It changes nothing: it calls the kernel's own function, past the place where
 * livepatches are hooked.  With replace=1 it switches all other livepatches
 * off, as vendors' cumulative ones do.
 */
#include <linux/ftrace.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/sched/idle.h>
#include <linux/static_call.h>
#include "nib.h"

struct rq;
struct sched_domain;

static bool replace;
module_param(replace, bool, 0);
MODULE_PARM_DESC(replace, "1: switch all other livepatches off");

/* Read by eye and by tests; some lost counts don't matter. */
static unsigned long calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "how often it was called");

typedef int balancer_fn(int this_cpu, struct rq *this_rq,
			struct sched_domain *sd, enum cpu_idle_type idle,
			int *continue_balancing);

DEFINE_STATIC_CALL_NULL(nib_original, balancer_fn);

static int nib_lp_balance(int this_cpu, struct rq *this_rq,
			  struct sched_domain *sd, enum cpu_idle_type idle,
			  int *continue_balancing)
{
	WRITE_ONCE(calls, READ_ONCE(calls) + 1);
	return static_call(nib_original)(this_cpu, this_rq, sd, idle,
					 continue_balancing);
}

static struct klp_func funcs[] = {
	{ .new_func = nib_lp_balance }, {}
};

static struct klp_object objs[] = {
	{ .funcs = funcs }, {}
};

static struct klp_patch patch = {
	.mod  = THIS_MODULE,
	.objs = objs,
};

static int __init nib_lp_init(void)
{
	const char *name = nib_balancer();

	if (!name)
		return -ENOENT;
	static_call_update(nib_original,
			   (void *)(nib_find(name) + MCOUNT_INSN_SIZE));
	funcs[0].old_name = name;
	patch.replace = replace;
	return klp_enable_patch(&patch);
}

static void __exit nib_lp_exit(void)
{
}

module_init(nib_lp_init);
module_exit(nib_lp_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("newidle test: a second livepatch on the balancer");
