// SPDX-License-Identifier: GPL-2.0-only
/* Wrong: the pointer's call comes last, so the compiler makes it a jump. */
#include "pointer.h"

static int (*nr_processes)(void) __ro_after_init;

static int show(char *buf, const struct kernel_param *kp)
{
	return nr_processes();
}

static const struct kernel_param_ops ops = {
	.get = show,
};
module_param_cb(processes, &ops, NULL, 0400);

static int __init tail_init(void)
{
	nr_processes = address_of("nr_processes");
	return nr_processes ? 0 : -ENOENT;
}
module_init(tail_init);
