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

struct rq;

enum newidle_native {
	NEWIDLE_NATIVE_NONE,		/* tries every eligible domain */
	NEWIDLE_NATIVE_RANDOM,		/* NI_RANDOM */
	NEWIDLE_NATIVE_RANDOM_RATE,	/* NI_RANDOM and NI_RATE */
};

/* Members that the kernel's headers don't show, or not on every kernel. */
enum newidle_member {
	NEWIDLE_RQ_LOCK,
	NEWIDLE_RQ_SD,
	NEWIDLE_RQ_CORE,
	NEWIDLE_RQ_CORE_ENABLED,
	NEWIDLE_SD_NAME,
	NEWIDLE_SD_CALL,
	NEWIDLE_SD_SUCCESS,
	NEWIDLE_SD_RATIO,
	NEWIDLE_SD_STAMP,
	NEWIDLE_NR_MEMBERS
};

#define NEWIDLE_NO_MEMBER (-1)

/**
 * struct newidle_kernel - what was found at load; constant from then on
 * @balancer: name of the function that tries one domain
 * @balancer_entry: address at which ftrace hooks it
 * @native: what the kernel does by itself
 * @dice_key: static key of its NI_RANDOM feature; NULL if it has none
 * @features: its feature bits
 * @dice_bit: bit of NI_RANDOM in @features
 * @runqueues: its run queues, per CPU
 * @offset: where members lie, bytes; NEWIDLE_NO_MEMBER for an optional one
 *	that is missing
 */
struct newidle_kernel {
	const char *balancer;
	unsigned long balancer_entry;
	enum newidle_native native;
	struct static_key *dice_key;
	unsigned int *features;
	unsigned int dice_bit;
	void __percpu *runqueues;
	s32 offset[NEWIDLE_NR_MEMBERS];
};

extern struct newidle_kernel newidle_kernel;

/* Builds for tests alone can be given another function to look at. */
#ifdef NEWIDLE_TEST
extern char *newidle_test_balancer;
#else
#define newidle_test_balancer ((char *)NULL)
#endif
extern const char *const newidle_native_names[];

int newidle_kernel_open(void);
int newidle_kernel_prove_balancer(void);

static inline bool newidle_has(enum newidle_member m)
{
	return newidle_kernel.offset[m] != NEWIDLE_NO_MEMBER;
}

/* Address of a member; only for members that newidle_has(). */
static inline void *newidle_at(const void *base, enum newidle_member m)
{
	return (void *)base + newidle_kernel.offset[m];
}

/**
 * newidle_rq_lock_held() - does anybody hold the run queue's lock?
 * @rq: the run queue
 *
 * Under core scheduling the siblings share the lock of one of them.
 *
 * Return: true if the lock was taken at that moment, by whomever.
 */
static inline bool newidle_rq_lock_held(const struct rq *rq)
{
	const void *owner = rq;

	if (newidle_has(NEWIDLE_RQ_CORE_ENABLED) &&
	    READ_ONCE(*(unsigned int *)newidle_at(rq, NEWIDLE_RQ_CORE_ENABLED)))
		owner = READ_ONCE(*(void **)newidle_at(rq, NEWIDLE_RQ_CORE));
	return raw_spin_is_locked((raw_spinlock_t *)newidle_at(owner, NEWIDLE_RQ_LOCK));
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
