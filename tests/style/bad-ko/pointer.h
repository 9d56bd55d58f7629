/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel function's address that is known at run time only. */
#ifndef BAD_KO_POINTER_H
#define BAD_KO_POINTER_H

#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static inline void *address_of(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	void *addr;

	if (register_kprobe(&probe))
		return NULL;
	addr = probe.addr;
	unregister_kprobe(&probe);
	return addr;
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("for the tests of check-ko, not to be loaded");

#endif /* BAD_KO_POINTER_H */
