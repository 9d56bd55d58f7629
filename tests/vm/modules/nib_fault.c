// SPDX-License-Identifier: GPL-2.0-only
/*
 * One fault of each kind that a debug kernel reports, to prove that it does.
 *
 *	# insmod nib_fault.ko
 *	# echo rcu > /sys/module/nib_fault/parameters/fault
 *
 * None does harm on a kernel that does not notice; the freed byte is only read.
 * lockdep reports one fault, and is off from then on: for each of lock-order,
 * lock-nesting and lock-in-irq a guest of its own is needed.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_RAW_SPINLOCK(raw_too);
static DEFINE_SPINLOCK(sleeping_on_rt);

/* Sleeping with a raw spinlock held. */
static void atomic_sleep(void)
{
	raw_spin_lock(&raw);
	might_sleep();
	raw_spin_unlock(&raw);
}

/* This CPU's number where it may change at any time. */
static void preempt(void)
{
	pr_info("CPU %u\n", smp_processor_id());
}

static int *guarded;

/* An RCU pointer read by nobody's leave. */
static void rcu(void)
{
	int *p = rcu_dereference(*(int __rcu **)&guarded);

	if (p)
		pr_info("%d\n", *p);
}

static void use_after_free(void)
{
	char *p = kzalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree(p);
	/* The compiler must not know better. */
	OPTIMIZER_HIDE_VAR(p);
	pr_info("freed byte %d\n", READ_ONCE(*p));
}

struct object {
	struct timer_list timer;
};

static void no_alarm(struct timer_list *timer)
{
}

/* Freed with its timer still running; such a kernel stops the timer. */
static void object(void)
{
	struct object *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return;
	timer_setup(&o->timer, no_alarm, 0);
	mod_timer(&o->timer, jiffies + 1000 * HZ);
	if (!IS_ENABLED(CONFIG_DEBUG_OBJECTS_FREE)) {
		pr_info("left out: the timer would ring\n");
		return;
	}
	kfree(o);
}

/* Two locks, one way round and the other. */
static void lock_order(void)
{
	raw_spin_lock(&raw);
	raw_spin_lock(&raw_too);
	raw_spin_unlock(&raw_too);
	raw_spin_unlock(&raw);

	raw_spin_lock(&raw_too);
	raw_spin_lock(&raw);
	raw_spin_unlock(&raw);
	raw_spin_unlock(&raw_too);
}

/* A lock that sleeps under PREEMPT_RT, in one that never does. */
static void lock_nesting(void)
{
	raw_spin_lock(&raw);
	spin_lock(&sleeping_on_rt);
	spin_unlock(&sleeping_on_rt);
	raw_spin_unlock(&raw);
}

static void take_in_irq(struct irq_work *work)
{
	raw_spin_lock(&raw);
	raw_spin_unlock(&raw);
}

/* A lock taken with interrupts on, and in an interrupt. */
static void lock_in_irq(void)
{
	static struct irq_work work;

	work = IRQ_WORK_INIT_HARD(take_in_irq);
	irq_work_queue(&work);
	irq_work_sync(&work);
	raw_spin_lock(&raw);
	raw_spin_unlock(&raw);
}

static unsigned long shared;

static int race_on(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

/* Two write the same, and neither says that it knows. */
static void race(void)
{
	struct task_struct *t = kthread_run(race_on, NULL, "nib_fault");
	unsigned long end = jiffies + 10 * HZ;

	if (IS_ERR(t))
		return;
	while (time_before(jiffies, end)) {
		shared++;
		cond_resched();
	}
	kthread_stop(t);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "atomic-sleep", atomic_sleep },
	{ "preempt", preempt },
	{ "rcu", rcu },
	{ "use-after-free", use_after_free },
	{ "object", object },
	{ "race", race },
	{ "lock-order", lock_order },
	{ "lock-nesting", lock_nesting },
	{ "lock-in-irq", lock_in_irq },
};

static int set_fault(const char *text, const struct kernel_param *kp)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (sysfs_streq(text, faults[i].name)) {
			faults[i].commit();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops fault_ops = {
	.set = set_fault,
};
module_param_cb(fault, &fault_ops, NULL, 0200);
MODULE_PARM_DESC(fault, "which one to commit, when it is written");

static int __init nib_fault_init(void)
{
	return 0;
}

static void __exit nib_fault_exit(void)
{
}

module_init(nib_fault_init);
module_exit(nib_fault_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: faults that a debug kernel reports");
