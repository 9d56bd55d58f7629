/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the running kernel's own new-idle balance differs from that of other
 * kernels: read off BTF and symbols at load.  Engine swap follows it.
 */
#ifndef NEWIDLE_DIALECT_H
#define NEWIDLE_DIALECT_H

#include <linux/types.h>
#include "kernel.h"
#include "members.h"

/**
 * struct newidle_dialect - the differences; constant after load
 * @name: which kernels are like this one, for the log
 * @update_blocked: the function that lets blocked load decay
 * @fair_tasks: the member of cfs_rq that counts fair tasks
 * @root_overloaded: the member of root_domain that says "something to pull"
 * @stops_when_busy: the walk ends when this CPU has a task or one is coming
 *	(6.1); else when a pull succeeded or the balancer says so
 * @bumps_cost: a failed attempt books 3/2 of the domain's maximum cost, at
 *	most the migration cost + 200 ns; in our steps knob cost_bump says so
 * @scx_clock_bit: bit of scx_rq.flags that the unpinning clears while
 *	sched_ext is in use, 0 if there is none
 */
struct newidle_dialect {
	const char *name;
	const char *update_blocked;
	enum newidle_member fair_tasks;
	enum newidle_member root_overloaded;
	bool stops_when_busy;
	bool bumps_cost;
	u32 scx_clock_bit;
};

/**
 * struct newidle_running - functions and variables of the running kernel that
 *	its new-idle balance uses; constant after load
 * @own: the kernel's own new-idle balance
 * @update_blocked: address of @newidle_dialect.update_blocked
 * @rq_lock: address of raw_spin_rq_lock_nested()
 * @rq_unlock: address of raw_spin_rq_unlock()
 * @migration_cost: ns
 * @max_interval: longest interval between periodic balances, jiffies
 * @asym_capacity: key: CPUs differ in capacity
 * @scx_enabled: key: sched_ext is in use; NULL without @scx_clock_bit
 * @has_blocked: is there blocked load to update?  NULL on a kernel that never
 *	stops its tick
 * @next_blocked: when it is due, jiffies
 */
struct newidle_running {
	struct newidle_function own;
	unsigned long update_blocked;
	unsigned long rq_lock;
	unsigned long rq_unlock;
	const unsigned int *migration_cost;
	const unsigned long *max_interval;
	struct static_key *asym_capacity;
	struct static_key *scx_enabled;
	const int *has_blocked;
	const unsigned long *next_blocked;
};

extern struct newidle_dialect newidle_dialect;
extern struct newidle_running newidle_running;

int newidle_dialect_find(char *why, size_t len);

#endif /* NEWIDLE_DIALECT_H */
