/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place for differences between kernel versions.  What BTF or a
 * symbol can tell does not belong here.
 */
#ifndef NEWIDLE_COMPAT_H
#define NEWIDLE_COMPAT_H

#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/livepatch.h>
#include <linux/sched/isolation.h>
#include <linux/sched/topology.h>
#include <linux/version.h>

/*
 * The rule "a failed pull books 3/2 of the domain's highest cost" came with
 * 155213a2aed4 ("sched/fair: Bump sd->max_newidle_lb_cost when newidle balance
 * fails", 6.17; stable 6.1.149, 6.6.103, 6.12.43, 6.15.11 and 6.16) and went
 * with d206fbad9328, the commit before the proportional balance (6.19; stable
 * 6.1.160, 6.12.64 and one before 6.18.5).  It sits in an inlined body where no
 * symbol and no BTF shows it, so the version decides; a kernel that has NI_RANDOM
 * does not have it whatever its version.
 */
#define NEWIDLE_MAYBE_COST_RULE						\
	((LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 149) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 103) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 43) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 11) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)))

/*
 * The kernels on which the rule is sure to be there, unless NI_RANDOM is:
 * Debian's 6.12.43 and 6.17.8 and the last 6.16 were looked at.
 */
#define NEWIDLE_SURE_COST_RULE						\
	((LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 43) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 65)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 12) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)))

/*
 * Series in which the steps of new-idle balance were compared with ours.  How
 * its walk ends can't be seen from outside.
 */
#define NEWIDLE_TESTED_SERIES						\
	((LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)))

/*
 * SD_SHARE_PKG_RESOURCES became SD_SHARE_LLC with 54de44274899
 * ("sched/topology: Rename SD_SHARE_PKG_RESOURCES to SD_SHARE_LLC", 6.9).
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define SD_SHARE_LLC	SD_SHARE_PKG_RESOURCES
#endif

/*
 * nohz_newidle_balance() asks housekeeping_cpu(cpu, HK_TYPE_SCHED): in 6.12
 * still, in 6.16 no more, where that enumerator is gone.  The key is exported,
 * but read by its address, like all of the kernel's.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0) && defined(CONFIG_CPU_ISOLATION)
static inline bool newidle_keeps_house(int cpu)
{
	return !static_key_enabled(&housekeeping_overridden) ||
	       housekeeping_test_cpu(cpu, HK_TYPE_SCHED);
}
#else
static inline bool newidle_keeps_house(int cpu)
{
	return true;
}
#endif

/*
 * An ftrace handler that changes the instruction pointer must save all
 * registers where the architecture cannot pass the arguments alone
 * (2860cd8a2353, "livepatch: Use the default ftrace_ops instead of REGS when
 * ARGS is available", 5.12).
 */
#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
#define NEWIDLE_FTRACE_IPMODIFY	FTRACE_OPS_FL_IPMODIFY
#else
#define NEWIDLE_FTRACE_IPMODIFY	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS)
#endif

/*
 * A task's states in a livepatch's transition, renamed with d927752f287f
 * ("livepatch: Rename KLP_* to KLP_TRANSITION_*"), which was backported, too.
 */
#ifdef KLP_TRANSITION_IDLE
#define NEWIDLE_KLP_UNDEFINED	KLP_TRANSITION_IDLE
#define NEWIDLE_KLP_PATCHED	KLP_TRANSITION_PATCHED
#else
#define NEWIDLE_KLP_UNDEFINED	KLP_UNDEFINED
#define NEWIDLE_KLP_PATCHED	KLP_PATCHED
#endif

#endif /* NEWIDLE_COMPAT_H */
