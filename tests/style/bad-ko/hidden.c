// SPDX-License-Identifier: GPL-2.0-only
/* Wrong: names a kernel function that is not exported. */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>

static int __init hidden_init(void)
{
	return kallsyms_lookup_name("nr_processes") ? 0 : -ENOENT;
}
module_init(hidden_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("for the tests of check-ko, not to be loaded");
