/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running kernel, as far as we look into it: what it is proved to be at
 * load, and named accessors for what its headers do not show.
 */
#ifndef NEWIDLE_KERNEL_H
#define NEWIDLE_KERNEL_H

#include <linux/jump_label.h>
#include <linux/sched/topology.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "members.h"

struct rq;

enum newidle_native {
	NEWIDLE_NATIVE_NONE,		/* tries every eligible domain */
	NEWIDLE_NATIVE_RANDOM,		/* NI_RANDOM */
	NEWIDLE_NATIVE_RANDOM_RATE,	/* NI_RANDOM and NI_RATE */
};

/**
 * struct newidle_function - a function of the kernel that may be livepatched
 * @name: its name in this kernel; NULL if it has none such
 * @addr: its first byte
 * @entry: address at which ftrace hooks it
 */
struct newidle_function {
	const char *name;
	unsigned long addr;
	unsigned long entry;
};

/**
 * struct newidle_kernel - what was found at load; constant from then on
 * @btf: its type information; for use at load only
 * @balancer: the function that tries one domain
 * @native: what the kernel does by itself
 * @dice_key: static key of its NI_RANDOM feature; NULL if it has none
 * @features: its feature bits
 * @dice_bit: bit of NI_RANDOM in @features
 * @runqueues: its run queues, per CPU
 */
struct newidle_kernel {
	const struct btf *btf;
	struct newidle_function balancer;
	enum newidle_native native;
	struct static_key *dice_key;
	unsigned int *features;
	unsigned int dice_bit;
	void __percpu *runqueues;
};

extern struct newidle_kernel newidle_kernel;

/* Builds for tests alone can be given another function to look at. */
#ifdef NEWIDLE_TEST
extern char *newidle_test_balancer;
extern char *newidle_test_newidle;
#else
#define newidle_test_balancer ((char *)NULL)
#define newidle_test_newidle ((char *)NULL)
#endif
extern const char *const newidle_native_names[];

int newidle_kernel_open(void);
int newidle_function_locate(struct newidle_function *f, const char *const names[2]);
int newidle_function_find(struct newidle_function *f, const char *const names[2],
			  const char *prototype, char *why, size_t len);
int newidle_function_prove(const struct newidle_function *f);

/**
 * newidle_rq_lock() - the lock of a run queue
 * @rq: the run queue
 *
 * Under core scheduling the siblings share the lock of one of them.
 *
 * Return: the lock that guards @rq now.
 */
static inline raw_spinlock_t *newidle_rq_lock(const struct rq *rq)
{
	const void *owner = rq;

	if (newidle_has(NEWIDLE_RQ_CORE_ENABLED) &&
	    READ_ONCE(*(unsigned int *)newidle_at(rq, NEWIDLE_RQ_CORE_ENABLED)))
		owner = READ_ONCE(*(void **)newidle_at(rq, NEWIDLE_RQ_CORE));
	return newidle_at(owner, NEWIDLE_RQ_LOCK);
}

/**
 * newidle_rq_lock_held() - does anybody hold the run queue's lock?
 * @rq: the run queue
 *
 * Return: true if the lock was taken at that moment, by whomever.
 */
static inline bool newidle_rq_lock_held(const struct rq *rq)
{
	return raw_spin_is_locked(newidle_rq_lock(rq));
}

/**
 * newidle_rq_avg_idle() - how long a CPU idles on average
 * @rq: its run queue
 *
 * Return: ns, as the kernel averages them; 0 on a kernel that does not tell.
 */
static inline u64 newidle_rq_avg_idle(const struct rq *rq)
{
	if (unlikely(!newidle_has(NEWIDLE_RQ_AVG_IDLE)))
		return 0;
	return READ_ONCE(*(u64 *)newidle_at(rq, NEWIDLE_RQ_AVG_IDLE));
}

/**
 * newidle_cpu_domains() - a CPU's lowest scheduling domain
 * @cpu: the CPU
 *
 * Under rcu_read_lock().
 *
 * Return: the domain, or NULL for a CPU without any.
 */
static inline struct sched_domain *newidle_cpu_domains(int cpu)
{
	void *rq = per_cpu_ptr(newidle_kernel.runqueues, cpu);

	return rcu_dereference(*(struct sched_domain __rcu **)
			       newidle_at(rq, NEWIDLE_RQ_SD));
}

/**
 * newidle_sd_name() - a domain's level as the kernel calls it
 * @sd: the domain; the name itself is never freed
 *
 * Return: the name, or "-" on a kernel that keeps none.
 */
static inline const char *newidle_sd_name(const struct sched_domain *sd)
{
	if (!newidle_has(NEWIDLE_SD_NAME))
		return "-";
	return *(const char **)newidle_at(sd, NEWIDLE_SD_NAME);
}

#endif /* NEWIDLE_KERNEL_H */
