// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that are dead but not gone.
 *
 * One that was waited for is off the task list, so that a transition which begins
 * then gives it no state; yet it passes through the scheduler a last time, and so
 * perhaps through a function in transition, where klp_ftrace_handler() warns.
 * Against that there are two means.  Each has a gap, but not the same one.
 *
 * Waiting, in klp's callbacks: but when a livepatch is switched off, its functions
 * are in transition some time before the callback: as long as an interrupt, or as a
 * virtual CPU that is not running.
 *
 * Giving such a task a state at its end, in do_task_dead(): but one that is waited
 * for between there and new-idle balance, some hundred ns later, goes without.
 */
#include "log.h"
#include <linux/ftrace.h>
#include <linux/livepatch.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "compat.h"
#include "dead.h"
#include "symbols.h"

/*
 * Entry of do_task_dead(), preemption off.  Who has no pid any more is off the task
 * list for good, so nobody else reads or writes its state, but klp's handler.
 */
static void notrace mark_dead(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (!pid_alive(current) &&
	    current->patch_state == NEWIDLE_KLP_UNDEFINED)
		current->patch_state = NEWIDLE_KLP_PATCHED;
}

static struct ftrace_ops at_death = {
	.func = mark_dead,
};

static bool marks;

static int mark_at(unsigned long ip)
{
	int err = ip ? ftrace_set_filter_ip(&at_death, ip, 0, 1) : -EINVAL;

	if (!err)
		err = register_ftrace_function(&at_death);
	if (err)
		ftrace_free_filter(&at_death);
	return err;
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
	unsigned long addr;
	int err;

	err = newidle_symbol_optional("do_task_dead", &addr);
	if (!err)
		err = mark_at(newidle_ftrace_entry(addr));
	if (err)
		pr_notice("do_task_dead can't be traced in this kernel build (%d): if a task dies in the very moment in which newidle is switched off, the kernel may warn of klp_ftrace_handler\n",
			  err);
	marks = !err;
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
	unregister_ftrace_function(&at_death);
	ftrace_free_filter(&at_death);
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
