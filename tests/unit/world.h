/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A make-believe machine that goes newly idle, and what happens to it.
 *
 * Several of them run in one test, with the same events: one with a kernel's
 * own walk over the domains (walk.c), others with an engine of newidle in it.
 */
#ifndef NEWIDLE_WORLD_H
#define NEWIDLE_WORLD_H

#include "standin.h"
#include "unit.h"
#include "dialect.h"
#include "domains.h"
#include "engine.h"

#define DEPTHS 4

/* clock_update_flags: the clock is up to date. */
#define UPDATED 4

/**
 * struct answer - what the balancer does, should it be asked
 * @pulled: what it returns
 * @here: tasks pulled to this CPU: others may have gone elsewhere
 * @fair: fair tasks that come by themselves meanwhile
 * @other: tasks of other classes that do
 * @ttwu: a task is on its way afterwards
 * @stop: it says that going on is of no use
 * @took: ns
 */
struct answer {
	int pulled;
	unsigned int here, fair, other;
	bool ttwu, stop;
	u32 took;
};

/**
 * struct event - a CPU goes newly idle, in a certain state
 * @answer: by the domain's depth, so that a domain that is not asked leaves
 *	the others' answers alone
 *
 * @forgets: costs begin anew, as when somebody writes them through debugfs
 *
 * The other members are by the names of what they set.
 */
struct event {
	int cpu;
	u64 since;
	u64 avg_idle;
	u32 blocked;
	unsigned int others, fair_meanwhile, clock_flags, clock_flags_meanwhile;
	bool overloaded, inactive, ttwu, asym, scx, core;
	bool house_overridden, not_housekeeping, no_domain, has_blocked, forgets;
	long next_balance, next_blocked;
	unsigned int balanced;
	struct answer answer[DEPTHS];
};

/**
 * struct series - a kernel of a certain age
 * @swap: engine_swap.c compiled for it
 * @gate: engine_gate.c compiled for it
 * @asks_house: only CPUs that keep house see to blocked load
 */
struct series {
	const char *name;
	struct newidle_dialect dialect;
	int (*swap)(struct newidle_engine *engine, char *why, size_t len);
	int (*gate)(struct newidle_engine *engine, char *why, size_t len);
	bool asks_house;
};

enum {
	V6_1,
	V6_12_RULE,
	V6_12,
	V6_18,
	NR_SERIES
};

extern const struct series all_series[NR_SERIES];

struct rq_flags {
	char other[8];
	unsigned int clock_update_flags;
	struct pin_cookie cookie;
};

/* In another order than any kernel's, with other bytes in between. */
struct rq {
	struct sched_domain *sd;
	void *rd;
	struct rq *core;
	unsigned int core_enabled;
	raw_spinlock_t lock;
	char between[24];
	int cpu;
	unsigned int clock_update_flags;
	u64 clock;
	u64 idle_stamp;
	u64 avg_idle;
	u64 max_idle_balance_cost;
	struct {
		char other[12];
		unsigned int h_nr;
	} cfs;
	unsigned int nr_running;
	unsigned int ttwu_pending;
	unsigned long next_balance;
	unsigned long misfit;
	atomic_t nohz_flags;
	struct {
		char other[20];
		u32 flags;
	} scx;
};

struct root_domain {
	char before;
	bool overutilized;
	bool overloaded;
	int overload;
};

enum what {
	UNPIN,
	UNLOCK,
	BLOCKED,
	TRY,
	LOCK,
	REPIN,
};

/* Something that was done, with what, and when. */
struct step {
	enum what what;
	int with;
	u64 when;
};

#define STEPS_MAX 32

/*
 * What a kernel's own dice know of a domain, and what it saw of them.  The time
 * at which a window ended is 0 in the first.
 */
struct dice {
	u32 calls, success, ratio;
	u64 stamp;
	struct newidle_counters count;
};

typedef int balancer_fn(int this_cpu, struct rq *this_rq,
			struct sched_domain *sd, enum cpu_idle_type idle,
			int *continue_balancing);
typedef int newidle_fn(struct rq *rq, struct rq_flags *rf);

/**
 * struct world - one machine
 * @balancer: ours, in the place of the balancer; may be NULL
 * @newidle: ours, in the place of new-idle balance; may be NULL
 * @rolls: its kernel's own dice are on
 * @over_budget: the kernel's own walk ended because the next domain was too
 *	dear
 * @idle: what the balancer is to be called for
 * @owns: how often the kernel's own function was called past its entry
 */
struct world {
	const struct series *series;
	balancer_fn *balancer;
	newidle_fn *newidle;
	bool rolls, over_budget;
	enum cpu_idle_type idle;
	struct newidle_cpu *cpus;
	struct rq *rqs;
	struct root_domain rd;
	struct sched_domain sd[CPUS][DEPTHS];
	struct dice dice[CPUS][DEPTHS];
	struct newidle_rng rng[CPUS];
	struct rq_flags rf;
	u64 now;
	const struct event *ev;
	int rcu, owns;
	struct step trace[STEPS_MAX];
	int steps;
	struct newidle_counters traced[CPUS][NEWIDLE_LEVELS];
};

extern char world_logged[200];

/* The one that runs. */
extern struct world *world;

/* Settings of the machine that no event changes. */
extern unsigned int migration_cost;
extern unsigned long max_interval;
extern int has_blocked;
extern unsigned long next_blocked;
extern struct static_key asym_capacity, scx_enabled;

enum who {
	KERNEL_ITSELF,
	SWAP,
	GATE,
};

void world_begin(struct world *w, const struct series *series, enum who who);
void world_chain(struct world *w, int cpu, const int *levels);
void world_end(struct world *w);
int world_run(struct world *w, const struct event *ev);
void world_step(enum what what, int with);
bool world_pulls(const struct world *w, int depth);

balancer_fn world_balancer;
newidle_fn walk_newidle;

/* Fail the test if two worlds differ after an event; n is its number. */
void same_steps(const struct world *a, const struct world *b, u32 n);
void same_rq(const struct world *a, const struct world *b, u32 n);
void same_max_cost(const struct world *a, const struct world *b, u32 n);
void same_domains(const struct world *a, const struct world *b, u32 n);
void same_policy(const struct world *a, const struct world *b, u32 n);
void right_counts(const struct world *w, const struct world *kernel, u32 n);

/* traced.c */
void traced_as_counted(const struct world *w);

/* stream.c */
void stream_machine(struct world *w);
void stream_event(u64 *rnd, struct event *ev);
u32 stream_recorded(struct event **events);
extern const int recorded_levels[DEPTHS];

#endif /* NEWIDLE_WORLD_H */
