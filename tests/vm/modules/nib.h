/* SPDX-License-Identifier: GPL-2.0-only */
/* What the test modules share: newidle's targets, found without its help. */
#ifndef NIB_H
#define NIB_H

#include <linux/kprobes.h>
#include <linux/string.h>

/*
 * Where the kernel's function starts for ftrace; 0 if there is none of this
 * name.  A probe that is never armed tells.
 */
static inline unsigned long nib_find(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long addr;

	if (register_kprobe(&probe))
		return 0;
	addr = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return addr;
}

/*
 * Names in this kernel, or NULL; both were renamed in 6.10: the function that
 * tries one domain, and the one that walks over the domains.
 */
static inline const char *nib_balancer(void)
{
	if (nib_find("sched_balance_rq"))
		return "sched_balance_rq";
	return nib_find("load_balance") ? "load_balance" : NULL;
}

static inline const char *nib_newidle(void)
{
	if (nib_find("sched_balance_newidle"))
		return "sched_balance_newidle";
	return nib_find("newidle_balance") ? "newidle_balance" : NULL;
}

/* The one that a module's parameter "on" chooses. */
static inline const char *nib_target(const char *on)
{
	if (!strcmp(on, "balancer"))
		return nib_balancer();
	return strcmp(on, "newidle") ? NULL : nib_newidle();
}

#endif /* NIB_H */
