// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that are dead but not gone.
 *
 * One that was reaped is off the task list, so that a transition which begins then
 * gives it no state; yet it passes through the scheduler a last time, and so perhaps
 * through a function in transition, where klp_ftrace_handler() warns.  Against that
 * there are two means, as neither is enough.
 *
 * Waiting, in klp's callbacks.  But when a livepatch is switched off, its functions
 * are in transition some time before the callback: as long as an interrupt, or as a
 * virtual CPU that is not running.  And there is none when one with .replace evicts
 * us.
 *
 * Giving such a task a state where it is about to come to us: in do_task_dead(), and
 * in the softirq that balances, if that interrupts it.  What remains is a task that
 * is reaped between these and our functions, within some hundred ns, or that sleeps
 * after it was; and all that in the moment described above.
 */
#include "log.h"
#include <linux/ftrace.h>
#include <linux/livepatch.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "compat.h"
#include "dead.h"
#include "kernel.h"

/*
 * Preemption is off.  A task loses its pid and its place on the list under one
 * tasklist_lock, so klp, which walks over the list under it, does not meet this one.
 */
static void notrace mark_dead(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (!pid_alive(current) &&
	    current->patch_state == NEWIDLE_KLP_UNDEFINED)
		current->patch_state = NEWIDLE_KLP_PATCHED;
}

static struct ftrace_ops marking = {
	.func = mark_dead,
};

static bool marks;

/* An ops without a filter would be called from everywhere. */
static int mark_in(const char *name, const char *older)
{
	const char *const names[] = { name, older };
	struct newidle_function f;
	int err = newidle_function_locate(&f, names);

	return err ?: ftrace_set_filter_ip(&marking, f.entry, 0, 0);
}

/**
 * newidle_dead_open() - from now on tasks that die get a state
 *
 * Where that is not to be had, waiting is all there is, which the log tells.
 *
 * Context: process, may sleep; before the livepatch is enabled.
 */
void newidle_dead_open(void)
{
	int err = mark_in("do_task_dead", NULL);

	/* Renamed with the rest of sched_balance_...() in 6.10. */
	if (!err)
		err = mark_in("sched_balance_softirq", "run_rebalance_domains");
	if (!err)
		err = register_ftrace_function(&marking);
	marks = !err;
	if (marks)
		return;
	ftrace_free_filter(&marking);
	pr_notice("do_task_dead or the softirq that balances can't be traced (%d): if a task dies in the very moment in which newidle is switched off, the kernel may warn of klp_ftrace_handler\n",
		  err);
}

/**
 * newidle_dead_close() - undo newidle_dead_open()
 *
 * Waits until no CPU is in our function.
 *
 * Context: process, may sleep; with the livepatch off.
 */
void newidle_dead_close(void)
{
	if (!marks)
		return;
	unregister_ftrace_function(&marking);
	ftrace_free_filter(&marking);
	marks = false;
}

/**
 * newidle_dead_wait() - wait until tasks that are dead are gone
 *
 * RCU-tasks waits for just these, as for every task's next voluntary switch;
 * ftrace itself waits like this when an ops is freed.  Tasks forked from now on
 * have a state.
 *
 * Context: klp's callbacks, between klp_init_transition() and the moment when
 * tasks are asked to switch.
 */
void newidle_dead_wait(void)
{
	synchronize_rcu_tasks();
}
