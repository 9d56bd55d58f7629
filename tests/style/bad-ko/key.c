// SPDX-License-Identifier: GPL-2.0-only
/* Wrong: asks a static key of the kernel by a jump label of its own. */
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/sched/smt.h>

static int __init foreign_key_init(void)
{
	if (static_branch_likely(&sched_smt_present))
		pr_info("SMT\n");
	return 0;
}
module_init(foreign_key_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("for the tests of check-ko, not to be loaded");
