// SPDX-License-Identifier: GPL-2.0-only
/*
 * Somebody who hooks one of newidle's functions by other means than a livepatch.
 *
 *	# insmod nib_hook.ko how=ipmodify	may redirect the function: the kernel
 *						admits one such user
 *	# insmod nib_hook.ko how=trace		looks on, as the function tracer does
 *	# insmod nib_hook.ko how=kprobe		a probe at its entry
 *	# insmod nib_hook.ko how=kprobe_post	such a probe with a post handler,
 *						which counts as one that redirects
 *
 * With on=newidle it hooks new-idle balance instead of the balancer.  It changes
 * nothing and counts how often it was passed.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include "nib.h"

static char *how = "trace";
module_param(how, charp, 0);
MODULE_PARM_DESC(how, "trace (default), ipmodify, kprobe or kprobe_post");

static char *on = "balancer";
module_param(on, charp, 0);
MODULE_PARM_DESC(on, "balancer (default) or newidle");

/* Some lost counts don't matter. */
static unsigned long hits;
module_param(hits, ulong, 0444);
MODULE_PARM_DESC(hits, "how often it was passed");

static void notrace passed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(hits, READ_ONCE(hits) + 1);
}

static int before(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(hits, READ_ONCE(hits) + 1);
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct ftrace_ops ops = { .func = passed };
static struct kprobe probe = { .pre_handler = before };

static int __init nib_hook_init(void)
{
	const char *name = nib_target(on);
	int err;

	if (!name)
		return -ENOENT;
	if (!strncmp(how, "kprobe", strlen("kprobe"))) {
		probe.symbol_name = name;
		if (!strcmp(how, "kprobe_post"))
			probe.post_handler = after;
		return register_kprobe(&probe);
	}
	if (!strcmp(how, "ipmodify"))
		ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
	else if (strcmp(how, "trace"))
		return -EINVAL;
	err = ftrace_set_filter(&ops, (unsigned char *)name, strlen(name), 1);
	return err ?: register_ftrace_function(&ops);
}

static void __exit nib_hook_exit(void)
{
	if (probe.symbol_name)
		unregister_kprobe(&probe);
	else
		unregister_ftrace_function(&ops);
}

module_init(nib_hook_init);
module_exit(nib_hook_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("newidle test: hooks on its functions");
