// SPDX-License-Identifier: GPL-2.0-only
/*
 * A livepatch that has nothing to do with the scheduler: /proc/cmdline reads
 * "nib_other".  With replace=1 it switches all other livepatches off, also
 * those on functions that it does not touch.
 */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static bool replace;
module_param(replace, bool, 0);
MODULE_PARM_DESC(replace, "1: switch all other livepatches off");

static int nib_other_show(struct seq_file *m, void *v)
{
	seq_puts(m, "nib_other\n");
	return 0;
}

static struct klp_func funcs[] = {
	{ .old_name = "cmdline_proc_show", .new_func = nib_other_show }, {}
};

static struct klp_object objs[] = {
	{ .funcs = funcs }, {}
};

static struct klp_patch patch = {
	.mod  = THIS_MODULE,
	.objs = objs,
};

static int __init nib_other_init(void)
{
	patch.replace = replace;
	return klp_enable_patch(&patch);
}

static void __exit nib_other_exit(void)
{
}

module_init(nib_other_init);
module_exit(nib_other_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("newidle test: a livepatch on an unrelated function");
