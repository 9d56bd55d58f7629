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

#define OPTIONAL	false
#define REQUIRED	true
#define ANYWHERE	NEWIDLE_NO_MEMBER

/*
 * Every member that newidle touches.  Those that the headers show must lie
 * where the headers say: a mismatch means that the module was built for
 * another kernel.
 */
static const struct member {
	const char *type, *name;
	u32 size;
	bool required;
	s32 expect;	/* offset by the headers, or ANYWHERE */
	int slot;	/* in newidle_kernel.offset, or -1 */
} members[] = {
	{ "rq", "__lock", sizeof(raw_spinlock_t), REQUIRED, ANYWHERE, NEWIDLE_RQ_LOCK },
	{ "rq", "sd", sizeof(void *), REQUIRED, ANYWHERE, NEWIDLE_RQ_SD },
	{ "rq", "core", sizeof(void *), OPTIONAL, ANYWHERE, NEWIDLE_RQ_CORE },
	{ "rq", "core_enabled", sizeof(int), OPTIONAL, ANYWHERE, NEWIDLE_RQ_CORE_ENABLED },
	{ "sched_domain", "name", sizeof(char *), OPTIONAL, ANYWHERE, NEWIDLE_SD_NAME },
	{ "sched_domain", "newidle_call", sizeof(int), OPTIONAL, ANYWHERE, NEWIDLE_SD_CALL },
	{ "sched_domain", "newidle_success", sizeof(int), OPTIONAL, ANYWHERE, NEWIDLE_SD_SUCCESS },
	{ "sched_domain", "newidle_ratio", sizeof(int), OPTIONAL, ANYWHERE, NEWIDLE_SD_RATIO },
	{ "sched_domain", "newidle_stamp", sizeof(u64), OPTIONAL, ANYWHERE, NEWIDLE_SD_STAMP },
#define BY_HEADER(member)						\
	{ "sched_domain", #member, sizeof_field(struct sched_domain, member), \
	  REQUIRED, offsetof(struct sched_domain, member), -1 }
	BY_HEADER(parent),
	BY_HEADER(child),
	BY_HEADER(flags),
	BY_HEADER(level),
	BY_HEADER(span_weight),
};

static int find_members(const struct btf *btf)
{
	const struct member *m;
	u32 offset, size;
	int i, err;

	for (i = 0; i < NEWIDLE_NR_MEMBERS; i++)
		newidle_kernel.offset[i] = NEWIDLE_NO_MEMBER;

	for (m = members; m < members + ARRAY_SIZE(members); m++) {
		err = newidle_btf_member(btf, m->type, m->name, &offset, &size);
		if (err && m->required) {
			pr_err("struct %s has no member %s in this kernel: not supported\n",
			       m->type, m->name);
			return err;
		}
		if (err)
			continue;
		if (size != m->size ||
		    (m->expect != ANYWHERE && offset != m->expect)) {
			pr_err("%s.%s has %u bytes at %u in this kernel, not what the module was built for (%u bytes%s): build it with the running kernel's headers; if it was, this kernel is not supported\n",
			       m->type, m->name, size, offset, m->size,
			       m->expect == ANYWHERE ? "" : ", elsewhere");
			return -EINVAL;
		}
		if (m->slot >= 0)
			newidle_kernel.offset[m->slot] = offset;
	}
	if (newidle_has(NEWIDLE_RQ_CORE_ENABLED) && !newidle_has(NEWIDLE_RQ_CORE)) {
		pr_err("struct rq has core_enabled but no core: not supported\n");
		return -EINVAL;
	}
	return 0;
}

/* The kernel's own proportional balance: has it one, and can it be stopped? */
static int find_native(const struct btf *btf)
{
	unsigned long keys, features;
	u32 bit;

	if (!newidle_has(NEWIDLE_SD_RATIO))
		return 0;
	if (!newidle_has(NEWIDLE_SD_CALL) || !newidle_has(NEWIDLE_SD_SUCCESS)) {
		pr_err("sched_domain has newidle_ratio but not newidle_call and newidle_success: not supported\n");
		return -EINVAL;
	}
	if (newidle_btf_enumerator(btf, "__SCHED_FEAT_NI_RANDOM", &bit) ||
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

/* The name changed with 4c3e509ea9f2 ("sched/balancing: Rename load_balance()", 6.10). */
static int find_balancer(const struct btf *btf)
{
	static const char want[] =
		"int (int, struct rq *, struct sched_domain *, enum cpu_idle_type, int *)";
	const char *name = newidle_test_balancer ?: "sched_balance_rq";
	unsigned long addr;
	char have[160];
	int err;

	err = newidle_symbol_optional(name, &addr);
	if (err == -ENOENT && !newidle_test_balancer) {
		name = "load_balance";
		err = newidle_symbol_optional(name, &addr);
	}
	if (err == -ENOENT) {
		pr_err("neither sched_balance_rq nor load_balance is a function of this kernel, it was inlined or renamed: engine gate has nothing to patch\n");
		return err;
	}
	if (err) {
		pr_err("kernel symbol %s is not unique: engine gate can't tell which to patch\n",
		       name);
		return err;
	}
	newidle_kernel.balancer = name;
	newidle_kernel.balancer_entry = newidle_ftrace_entry(addr);
	if (!newidle_kernel.balancer_entry) {
		pr_err("%s can't be traced at its entry in this kernel build: it can't be livepatched\n",
		       name);
		return -EINVAL;
	}
	if (newidle_btf_prototype(btf, name, have, sizeof(have))) {
		pr_err("the kernel's BTF has no prototype of %s: not supported\n", name);
		return -ENOENT;
	}
	if (strcmp(have, want)) {
		pr_err("%s is %s in this kernel, expected %s: not supported\n",
		       name, have, want);
		return -EINVAL;
	}
	return 0;
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
	const struct btf *btf;
	unsigned long runqueues;
	int err;

	btf = newidle_btf_open();
	if (IS_ERR(btf))
		return PTR_ERR(btf);
	err = find_members(btf);
	if (!err)
		err = newidle_symbol("runqueues", &runqueues);
	if (err)
		return err;
	newidle_kernel.runqueues = (void __percpu *)runqueues;
	err = find_native(btf);
	return err ?: find_balancer(btf);
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

static int prove_free(void)
{
	unsigned long ip = newidle_kernel.balancer_entry;
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
 * newidle_kernel_prove_balancer() - may the balancer be livepatched?
 *
 * The kernel stacks livepatches on one function, and our call past its entry
 * would undo the one below; so nobody else may be there.
 *
 * Context: process, may sleep for some RCU grace periods.
 * Return: 0, or an error that was logged.
 */
int newidle_kernel_prove_balancer(void)
{
	const char *name = newidle_kernel.balancer;
	unsigned long enabled;
	int err;

	err = newidle_symbol("ftrace_enabled", &enabled);
	if (err)
		return err;
	if (!READ_ONCE(*(int *)enabled)) {
		pr_err("ftrace is switched off, so no function can be livepatched: sysctl kernel.ftrace_enabled=1\n");
		return -EBUSY;
	}
	err = prove_free();
	if (err == -EBUSY)
		pr_err("%s is already livepatched or redirected by somebody else: see /sys/kernel/livepatch and /sys/kernel/tracing/enabled_functions (flag I), remove that one first\n",
		       name);
	else if (err)
		pr_err("%s can't be hooked by ftrace (%d)\n", name, err);
	return err;
}
