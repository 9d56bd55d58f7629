/* SPDX-License-Identifier: GPL-2.0-only */
/* What the test modules share: the balancer, found without newidle's help. */
#ifndef NIB_H
#define NIB_H

#include <linux/kprobes.h>

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

/* The function that tries one domain: its name in this kernel, or NULL. */
static inline const char *nib_balancer(void)
{
	/* Renamed in 6.10. */
	if (nib_find("sched_balance_rq"))
		return "sched_balance_rq";
	return nib_find("load_balance") ? "load_balance" : NULL;
}

#endif /* NIB_H */
