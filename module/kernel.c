// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out at load what kernel this is, and prove what the engines rely on.
 */
#include "log.h"
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/string.h>
#include "btf.h"
#include "compat.h"
#include "kernel.h"
#include "symbols.h"

struct newidle_kernel newidle_kernel __ro_after_init;

const char *const newidle_native_names[] = {
	[NEWIDLE_NATIVE_NONE]        = "none",
	[NEWIDLE_NATIVE_RANDOM]      = "random",
	[NEWIDLE_NATIVE_RANDOM_RATE] = "random+rate",
};

/* The kernel's own proportional balance: has it one, and can it be stopped? */
static int find_native(void)
{
	unsigned long keys, features;
	u32 bit;

	if (!newidle_has(NEWIDLE_SD_RATIO))
		return 0;
	if (!newidle_has(NEWIDLE_SD_CALL) || !newidle_has(NEWIDLE_SD_SUCCESS)) {
		pr_err("sched_domain has newidle_ratio but not newidle_call and newidle_success: not supported\n");
		return -EINVAL;
	}
	if (newidle_btf_enumerator(newidle_kernel.btf, "__SCHED_FEAT_NI_RANDOM", &bit) ||
	    bit >= 8 * sizeof(unsigned int)) {
		pr_err("the kernel's own dice have no feature NI_RANDOM to switch them off: not supported\n");
		return -EINVAL;
	}
	if (newidle_symbol("sched_feat_keys", &keys) ||
	    newidle_symbol("sysctl_sched_features", &features)) {
		pr_err("without them the kernel's own dice (NI_RANDOM) can't be switched off\n");
		return -ENOENT;
	}
	newidle_kernel.dice_key = (struct static_key *)keys + bit;
	newidle_kernel.dice_bit = BIT(bit);
	newidle_kernel.features = (unsigned int *)features;
	newidle_kernel.native = newidle_has(NEWIDLE_SD_STAMP) ?
		NEWIDLE_NATIVE_RANDOM_RATE : NEWIDLE_NATIVE_RANDOM;
	return 0;
}

/**
 * newidle_function_locate() - find a function and where ftrace hooks it
 * @f: filled, as far as it was found
 * @names: its name, and the older one or NULL
 *
 * Return: 0, -ENOENT if it is missing, -EEXIST if the name is not unique, -EINVAL
 * if it can't be traced at its entry.
 */
int newidle_function_locate(struct newidle_function *f, const char *const names[2])
{
	int err;

	f->name = names[0];
	err = newidle_symbol_optional(f->name, &f->addr);
	if (err == -ENOENT && names[1]) {
		f->name = names[1];
		err = newidle_symbol_optional(f->name, &f->addr);
	}
	if (err)
		return err;
	f->entry = newidle_ftrace_entry(f->addr);
	return f->entry ? 0 : -EINVAL;
}

/**
 * newidle_function_find() - find a function that is to be livepatched
 * @f: filled
 * @names: its name, and the older one or NULL
 * @prototype: what it must be, in the words of newidle_btf_prototype()
 * @why: filled with what is wrong
 * @len: size of @why
 *
 * Return: 0, or an error with its reason in @why and @f->name NULL.
 */
int newidle_function_find(struct newidle_function *f, const char *const names[2],
			  const char *prototype, char *why, size_t len)
{
	int err = newidle_function_locate(f, names);
	const char *name = f->name;
	char have[160];

	f->name = NULL;
	if (err == -ENOENT) {
		scnprintf(why, len, "%s%s%s is no function of this kernel build: it was inlined or renamed",
			  names[0], names[1] ? " or " : "", names[1] ?: "");
		return err;
	}
	if (err == -EINVAL) {
		scnprintf(why, len, "%s can't be traced at its entry in this kernel build, so it can't be livepatched",
			  name);
		return err;
	}
	if (err) {
		scnprintf(why, len, "kernel symbol %s is not unique", name);
		return err;
	}
	if (newidle_btf_prototype(newidle_kernel.btf, name, have, sizeof(have))) {
		scnprintf(why, len, "the kernel's BTF has no prototype of %s",
			  name);
		return -ENOENT;
	}
	if (strcmp(have, prototype)) {
		scnprintf(why, len, "%s is %s in this kernel, expected %s",
			  name, have, prototype);
		return -EINVAL;
	}
	f->name = name;
	return 0;
}

/* The name changed with 4c3e509ea9f2 ("sched/balancing: Rename load_balance()", 6.10). */
static int find_balancer(void)
{
	static const char *const names[] = { "sched_balance_rq", "load_balance" };
	const char *const test_names[] = { newidle_test_balancer, NULL };
	char why[200];
	int err;

	err = newidle_function_find(&newidle_kernel.balancer,
				    newidle_test_balancer ? test_names : names,
				    "int (int, struct rq *, struct sched_domain *, enum cpu_idle_type, int *)",
				    why, sizeof(why));
	if (err)
		pr_err("%s: not supported\n", why);
	return err;
}

/**
 * newidle_kernel_open() - look at the kernel and fill newidle_kernel
 *
 * Changes nothing in the kernel.  The symbols must have been opened.
 *
 * Return: 0, or an error that was logged.
 */
int newidle_kernel_open(void)
{
	unsigned long runqueues;
	int err;

	newidle_kernel.btf = newidle_btf_open();
	if (IS_ERR(newidle_kernel.btf))
		return PTR_ERR(newidle_kernel.btf);
	err = newidle_members_find(newidle_kernel.btf);
	if (!err)
		err = newidle_symbol("runqueues", &runqueues);
	if (err)
		return err;
	newidle_kernel.runqueues = (void __percpu *)runqueues;
	err = find_native();
	return err ?: find_balancer();
}

static void notrace leave_alone(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

/* The kernel admits one user of this kind a function. */
static struct ftrace_ops sole_user = {
	.func  = leave_alone,
	.flags = NEWIDLE_FTRACE_IPMODIFY,
};

static int prove_free(unsigned long ip)
{
	int err;

	err = ftrace_set_filter_ip(&sole_user, ip, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(&sole_user);
	if (!err)
		unregister_ftrace_function(&sole_user);
	ftrace_set_filter_ip(&sole_user, ip, 1, 0);
	return err;
}

/**
 * newidle_function_prove() - may this function be livepatched now?
 * @f: from newidle_function_find()
 *
 * The kernel stacks livepatches on one function, and our call past its entry
 * would undo the one below; so nobody else may be there.
 *
 * Context: process, may sleep for some RCU grace periods.
 * Return: 0, or an error that was logged.
 */
int newidle_function_prove(const struct newidle_function *f)
{
	unsigned long enabled;
	int err;

	/* A kernel that can't switch ftrace off need not have it. */
	err = newidle_symbol_optional("ftrace_enabled", &enabled);
	if (!err && !READ_ONCE(*(int *)enabled)) {
		pr_err("ftrace is switched off, so no function can be livepatched: sysctl kernel.ftrace_enabled=1\n");
		return -EBUSY;
	}
	err = prove_free(f->entry);
	if (err == -EBUSY)
		pr_err("%s is already livepatched or redirected by somebody else: see /sys/kernel/livepatch and /sys/kernel/tracing/enabled_functions (flag I), remove that one first\n",
		       f->name);
	else if (err)
		pr_err("%s can't be hooked by ftrace (%d)\n", f->name, err);
	return err;
}
