// SPDX-License-Identifier: GPL-2.0-only
/* Right: does what the wrong ones do in the ways that are safe. */
#include <linux/jump_label.h>
#include <linux/static_call.h>
#include "pointer.h"

static DEFINE_STATIC_KEY_FALSE(own_key);

typedef int counter_fn(void);
DEFINE_STATIC_CALL_NULL(right_counter, counter_fn);

static int show(char *buf, const struct kernel_param *kp)
{
	if (static_branch_unlikely(&own_key))
		pr_info("known\n");
	return static_call(right_counter)();
}

static const struct kernel_param_ops ops = {
	.get = show,
};
module_param_cb(processes, &ops, NULL, 0400);

static int __init right_init(void)
{
	void *addr = address_of("nr_processes");

	if (!addr)
		return -ENOENT;
	static_call_update(right_counter, (counter_fn *)addr);
	static_branch_enable(&own_key);
	return static_key_enabled(&own_key.key) ? 0 : -EINVAL;
}
module_init(right_init);
