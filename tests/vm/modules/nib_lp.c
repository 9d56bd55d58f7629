// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another livepatch on a function that newidle patches.
 *
 *	# insmod nib_lp.ko [on=newidle] [replace=1]
 *	# cat /sys/module/nib_lp/parameters/calls	it is in use if this grows
 *	# echo 0 > /sys/kernel/livepatch/nib_lp/enabled; ...; rmmod nib_lp
 *
 * That is the balancer, or with on=newidle new-idle balance.  It changes
 * nothing: it calls the kernel's own function, past the place where
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
struct rq_flags;
struct sched_domain;

static char *on = "balancer";
module_param(on, charp, 0);
MODULE_PARM_DESC(on, "balancer (default) or newidle");

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

typedef int newidle_fn(struct rq *rq, struct rq_flags *rf);

DEFINE_STATIC_CALL_NULL(nib_original_newidle, newidle_fn);

static int nib_lp_newidle(struct rq *rq, struct rq_flags *rf)
{
	WRITE_ONCE(calls, READ_ONCE(calls) + 1);
	return static_call(nib_original_newidle)(rq, rf);
}

static struct klp_func funcs[] = { {}, {} };

static struct klp_object objs[] = {
	{ .funcs = funcs }, {}
};

static struct klp_patch patch = {
	.mod  = THIS_MODULE,
	.objs = objs,
};

static int __init nib_lp_init(void)
{
	const char *name = nib_target(on);
	void *past_hook;

	if (!name)
		return -ENOENT;
	past_hook = (void *)(nib_find(name) + MCOUNT_INSN_SIZE);
	funcs[0].old_name = name;
	if (!strcmp(on, "newidle")) {
		static_call_update(nib_original_newidle, past_hook);
		funcs[0].new_func = nib_lp_newidle;
	} else {
		static_call_update(nib_original, past_hook);
		funcs[0].new_func = nib_lp_balance;
	}
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
MODULE_DESCRIPTION("newidle test: a second livepatch on its function");
