// SPDX-License-Identifier: GPL-2.0-only
/*
 * All of the module on a kernel without livepatching: say so.
 *
 * dkms skips such kernels (BUILD_EXCLUSIVE_CONFIG); this is for a build by
 * hand, where a compiler's error about unknown structs would explain nothing.
 */
#include "log.h"
#include <linux/module.h>

static int __init newidle_refuse(void)
{
	pr_err("this kernel is built without CONFIG_LIVEPATCH, so newidle can't work on it: boot a kernel that has it\n");
	return -EOPNOTSUPP;
}
module_init(newidle_refuse);

MODULE_LICENSE("GPL");
MODULE_VERSION(NEWIDLE_VERSION);
MODULE_DESCRIPTION("newidle for a kernel without livepatching: refuses to load");
