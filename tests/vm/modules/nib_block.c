// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel thread that no livepatch transition can get past.
 *
 *	# insmod nib_block.ko			the thread nib_block blocks
 *	# echo 0 > /sys/module/nib_block/parameters/hold	lets go
 *	# echo 1 > /sys/module/nib_block/parameters/hold	blocks again
 *
 * A task is switched over when its stack can be followed to the end and holds
 * no patched function.  This one hides the return address of its own frame
 * while it sleeps, so that its stack can't be followed.  It sleeps in
 * TASK_IDLE: not counted as load, not hung, and not woken by the transition's
 * fake signals.
 */
#include <linux/compiler.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait.h>

static bool hold = true;
static bool blocked;
static struct task_struct *thread;
static DECLARE_WAIT_QUEUE_HEAD(changed);

static bool block_wanted(void)
{
	return READ_ONCE(hold) && !kthread_should_stop();
}

/*
 * The place of the return address is known because asking for the frame
 * address makes the compiler keep a frame pointer.  Not inlined, or the frame
 * would be the caller's.
 */
static noinline notrace void nib_block_sleep(void)
{
	unsigned long *ret = (unsigned long *)__builtin_frame_address(0) + 1;
	unsigned long hidden = READ_ONCE(*ret);

	WRITE_ONCE(*ret, 0);
	WRITE_ONCE(blocked, true);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (!block_wanted())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(blocked, false);
	WRITE_ONCE(*ret, hidden);
}

static int nib_block_thread(void *unused)
{
	while (!kthread_should_stop()) {
		nib_block_sleep();
		wait_event_interruptible(changed, READ_ONCE(hold) ||
					 kthread_should_stop());
	}
	return 0;
}

static int set_hold(const char *text, const struct kernel_param *kp)
{
	int err = param_set_bool(text, kp);

	if (!err && thread) {
		wake_up_process(thread);
		wake_up(&changed);
	}
	return err;
}

static const struct kernel_param_ops hold_ops = {
	.set = set_hold,
	.get = param_get_bool,
};
module_param_cb(hold, &hold_ops, &hold, 0644);
MODULE_PARM_DESC(hold, "1 (default): hold transitions up; 0: let them pass");
module_param(blocked, bool, 0444);
MODULE_PARM_DESC(blocked, "Y while the stack can't be followed");

static int __init nib_block_init(void)
{
	struct task_struct *t = kthread_run(nib_block_thread, NULL, "nib_block");

	if (IS_ERR(t))
		return PTR_ERR(t);
	thread = t;
	return 0;
}

static void __exit nib_block_exit(void)
{
	kthread_stop(thread);
}

module_init(nib_block_init);
module_exit(nib_block_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: holds livepatch transitions up");
