// SPDX-License-Identifier: GPL-2.0-only
/* The make-believe machine: see world.h. */
#include "world.h"

struct world *world;
struct newidle_kernel newidle_kernel;
struct newidle_dialect newidle_dialect;
struct newidle_running newidle_running;
struct newidle_settings newidle_settings;
bool newidle_live;

unsigned int migration_cost = 500000;
unsigned long max_interval = 100;
int has_blocked;
unsigned long next_blocked;
struct static_key asym_capacity, scx_enabled, housekeeping_overridden;

s32 newidle_offset[NEWIDLE_NR_MEMBERS] = {
	[NEWIDLE_RQ_LOCK]                = offsetof(struct rq, lock),
	[NEWIDLE_RQ_SD]                  = offsetof(struct rq, sd),
	[NEWIDLE_RQ_CORE]                = offsetof(struct rq, core),
	[NEWIDLE_RQ_CORE_ENABLED]        = offsetof(struct rq, core_enabled),
	[NEWIDLE_SD_NAME]                = NEWIDLE_NO_MEMBER,
	[NEWIDLE_RQ_CPU]                 = offsetof(struct rq, cpu),
	[NEWIDLE_RQ_NR_RUNNING]          = offsetof(struct rq, nr_running),
	[NEWIDLE_RQ_TTWU_PENDING]        = offsetof(struct rq, ttwu_pending),
	[NEWIDLE_RQ_CLOCK]               = offsetof(struct rq, clock),
	[NEWIDLE_RQ_CLOCK_UPDATE_FLAGS]  = offsetof(struct rq, clock_update_flags),
	[NEWIDLE_RQ_RD]                  = offsetof(struct rq, rd),
	[NEWIDLE_RQ_IDLE_STAMP]          = offsetof(struct rq, idle_stamp),
	[NEWIDLE_RQ_AVG_IDLE]            = offsetof(struct rq, avg_idle),
	[NEWIDLE_RQ_MAX_COST]            = offsetof(struct rq, max_idle_balance_cost),
	[NEWIDLE_RQ_NEXT_BALANCE]        = offsetof(struct rq, next_balance),
	[NEWIDLE_RQ_MISFIT]              = offsetof(struct rq, misfit),
	[NEWIDLE_RQ_NOHZ_FLAGS]          = offsetof(struct rq, nohz_flags),
	[NEWIDLE_RQ_CFS]                 = offsetof(struct rq, cfs),
	[NEWIDLE_CFS_H_NR_QUEUED]        = 12,
	[NEWIDLE_CFS_H_NR_RUNNING]       = 12,
	[NEWIDLE_RF_CLOCK_UPDATE_FLAGS]  = offsetof(struct rq_flags, clock_update_flags),
	[NEWIDLE_RF_COOKIE]              = offsetof(struct rq_flags, cookie),
	[NEWIDLE_RD_OVERLOADED]          = offsetof(struct root_domain, overloaded),
	[NEWIDLE_RD_OVERLOAD]            = offsetof(struct root_domain, overload),
	[NEWIDLE_RQ_SCX]                 = offsetof(struct rq, scx),
	[NEWIDLE_SCX_FLAGS]              = 20,
};

#define OPENS(version)							\
	int newidle_swap_open_##version(struct newidle_engine *, char *, size_t); \
	int newidle_gate_open_##version(struct newidle_engine *, char *, size_t)
OPENS(6_1_192);
OPENS(6_12_43);
OPENS(6_12_117);
OPENS(6_18_15);

const struct series all_series[NR_SERIES] = {
	[V6_1] = {
		.name = "6.1.192",
		.dialect = {
			.fair_tasks = NEWIDLE_CFS_H_NR_RUNNING,
			.root_overloaded = NEWIDLE_RD_OVERLOAD,
			.stops_when_busy = true,
		},
		.swap = newidle_swap_open_6_1_192,
		.gate = newidle_gate_open_6_1_192,
		.asks_house = true,
	},
	[V6_12_RULE] = {
		.name = "6.12.43",
		.dialect = {
			.fair_tasks = NEWIDLE_CFS_H_NR_QUEUED,
			.root_overloaded = NEWIDLE_RD_OVERLOADED,
			.bumps_cost = true,
		},
		.swap = newidle_swap_open_6_12_43,
		.gate = newidle_gate_open_6_12_43,
		.asks_house = true,
	},
	[V6_12] = {
		.name = "6.12.117",
		.dialect = {
			.fair_tasks = NEWIDLE_CFS_H_NR_QUEUED,
			.root_overloaded = NEWIDLE_RD_OVERLOADED,
		},
		.swap = newidle_swap_open_6_12_117,
		.gate = newidle_gate_open_6_12_117,
		.asks_house = true,
	},
	[V6_18] = {
		.name = "6.18.15",
		.dialect = {
			.fair_tasks = NEWIDLE_CFS_H_NR_QUEUED,
			.root_overloaded = NEWIDLE_RD_OVERLOADED,
			.scx_clock_bit = 1 << 5,
		},
		.swap = newidle_swap_open_6_18_15,
		.gate = newidle_gate_open_6_18_15,
	},
};

/* What the module logs; the last line. */
char world_logged[200];

void world_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(world_logged, sizeof(world_logged), format, args);
	va_end(args);
}

/* The kernel's functions that an engine finds at its addresses. */

unsigned long world_jiffies(void)
{
	/* Wraps after some time, as a kernel's does. */
	return world->now / (SECOND / HZ) - START / (SECOND / HZ) - 60 * HZ;
}

u64 world_clock(void)
{
	return world->now;
}

bool world_cpu_active(int cpu)
{
	assert_int_equal(cpu, world->ev->cpu);
	return !world->ev->inactive;
}

bool housekeeping_test_cpu(int cpu, int type)
{
	assert_int_equal(cpu, world->ev->cpu);
	assert_int_equal(type, HK_TYPE_SCHED);
	return !world->ev->not_housekeeping;
}

void world_writes(seqcount_t *s, bool ends)
{
	assert_int_equal(s->sequence++ & 1, ends);
}

void world_rcu(int step)
{
	world->rcu += step;
	assert_true(world->rcu > 0 || step < 0);
	assert_true(world->rcu >= 0);
}

static struct rq *rq_of(const struct world *w, int cpu)
{
	return per_cpu_ptr(w->rqs, cpu);
}

static raw_spinlock_t *lock_of(struct rq *rq)
{
	return rq->core_enabled ? &rq->core->lock : &rq->lock;
}

/* What others do while the lock is free. */
static void meanwhile(struct rq *rq, unsigned int fair, unsigned int other)
{
	rq->cfs.h_nr += fair;
	rq->nr_running += fair + other;
}

void world_step(enum what what, int with)
{
	const struct event *ev = world->ev;
	struct rq *rq = rq_of(world, ev->cpu);

	assert_true(world->steps < STEPS_MAX);
	world->trace[world->steps++] = (struct step){ what, with, world->now };
	switch (what) {
	case UNLOCK:
		assert_int_equal(world->rcu, 0);
		assert_true(lock_of(rq)->taken);
		lock_of(rq)->taken = false;
		rq->clock_update_flags = ev->clock_flags_meanwhile;
		break;
	case LOCK:
		assert_int_equal(world->rcu, 0);
		assert_false(lock_of(rq)->taken);
		lock_of(rq)->taken = true;
		break;
	case BLOCKED:
		assert_false(lock_of(rq)->taken);
		world->now += ev->blocked;
		meanwhile(rq, ev->fair_meanwhile, 0);
		break;
	case TRY:
		assert_false(lock_of(rq)->taken);
		assert_true(world->rcu > 0);
		break;
	case UNPIN:
	case REPIN:
		assert_true(lock_of(rq)->taken);
		break;
	}
}

void world_pin(raw_spinlock_t *l, struct pin_cookie cookie, bool again)
{
	assert_ptr_equal(l, lock_of(rq_of(world, world->ev->cpu)));
	world_step(again ? REPIN : UNPIN, (int)cookie.val);
}

static void rq_lock(struct rq *rq, int subclass)
{
	assert_int_equal(subclass, 0);
	world_step(LOCK, rq->cpu);
}

static void rq_unlock(struct rq *rq)
{
	world_step(UNLOCK, rq->cpu);
}

static void update_blocked(int cpu)
{
	world_step(BLOCKED, cpu);
}

/* The balancer past its entry. */
static int really_balance(int this_cpu, struct rq *this_rq,
			  struct sched_domain *sd, enum cpu_idle_type idle,
			  int *continue_balancing)
{
	int depth = (int)(sd - world->sd[this_cpu]);
	const struct answer *a = &world->ev->answer[depth];

	assert_int_equal(this_cpu, world->ev->cpu);
	assert_ptr_equal(this_rq, rq_of(world, this_cpu));
	assert_int_equal(idle, world->idle);
	assert_int_equal(*continue_balancing, 1);
	world_step(TRY, depth);
	world->now += a->took;
	meanwhile(this_rq, a->here + a->fair, a->other);
	this_rq->ttwu_pending |= a->ttwu;
	if (a->stop)
		*continue_balancing = 0;
	return a->pulled;
}

/* The balancer at its entry, where ours may sit. */
int world_balancer(int this_cpu, struct rq *this_rq, struct sched_domain *sd,
		   enum cpu_idle_type idle, int *continue_balancing)
{
	return (world->balancer ?: really_balance)(this_cpu, this_rq, sd, idle,
						   continue_balancing);
}

/* New-idle balance past its entry. */
static int own_newidle(struct rq *rq, struct rq_flags *rf)
{
	assert_true(lock_of(rq)->taken);
	world->owns++;
	return walk_newidle(rq, rf);
}

int newidle_dialect_find(char *why, size_t len)
{
	(void)why;
	(void)len;
	newidle_dialect = world->series->dialect;
	newidle_running = (struct newidle_running){
		.own.entry      = (unsigned long)own_newidle - MCOUNT_INSN_SIZE,
		.update_blocked = (unsigned long)update_blocked,
		.rq_lock        = (unsigned long)rq_lock,
		.rq_unlock      = (unsigned long)rq_unlock,
		.migration_cost = &migration_cost,
		.max_interval   = &max_interval,
		.asym_capacity  = &asym_capacity,
		.scx_enabled    = &scx_enabled,
		.has_blocked    = &has_blocked,
		.next_blocked   = &next_blocked,
	};
	return 0;
}

/* The domains of a CPU, by their levels, which end with -1. */
void world_chain(struct world *w, int cpu, const int *levels)
{
	static const int kinds[DEPTHS] = {
		SD_SHARE_CPUCAPACITY | SD_SHARE_LLC, SD_SHARE_LLC, 0, SD_NUMA
	};
	struct sched_domain *sd = w->sd[cpu];
	int i;

	for (i = 0; i < DEPTHS && levels[i] >= 0; i++) {
		sd[i] = (struct sched_domain){
			.parent = i + 1 < DEPTHS && levels[i + 1] >= 0 ? &sd[i + 1] : NULL,
			.child = i ? &sd[i - 1] : NULL,
			.level = levels[i],
			.flags = SD_BALANCE_NEWIDLE | kinds[i],
			.span_weight = 2U << i,
			.balance_interval = 2U << i,
			.max_newidle_lb_cost = 5000,
		};
		w->dice[cpu][i] = (struct dice){ .calls = 512, .success = 256, .ratio = 512 };
	}
}

void world_begin(struct world *w, const struct series *series, enum who who)
{
	struct newidle_engine engine = { 0 };
	char why[NEWIDLE_WHY];
	int cpu;

	memset(w, 0, sizeof(*w));
	world = w;
	w->series = series;
	w->now = START;
	w->idle = CPU_NEWLY_IDLE;
	w->rd.overutilized = true;
	newidle_kernel.balancer.addr = (unsigned long)world_balancer;
	newidle_kernel.balancer.entry =
		(unsigned long)really_balance - MCOUNT_INSN_SIZE;
	newidle_kernel.native = NEWIDLE_NATIVE_RANDOM;
	newidle_dialect_find(NULL, 0);
	if (who == SWAP) {
		assert_int_equal(series->swap(&engine, why, sizeof(why)), 0);
		w->newidle = engine.hooks[0].func;
		w->balancer = engine.hooks[1].func;
	} else if (who == GATE) {
		assert_int_equal(series->gate(&engine, why, sizeof(why)), 0);
		w->balancer = engine.hooks[0].func;
		assert_true(engine.takes_dice);
	}

	assert_int_equal(newidle_domains_alloc(), 0);
	w->cpus = newidle_cpus;
	w->rqs = alloc_percpu(struct rq);
	for (cpu = 0; cpu < CPUS; cpu++) {
		rq_of(w, cpu)->cpu = cpu;
		rq_of(w, cpu)->core = rq_of(w, cpu & ~1);
		rq_of(w, cpu)->rd = &w->rd;
		w->rng[cpu] = per_cpu_ptr(w->cpus, cpu)->rng;
	}
}

void world_end(struct world *w)
{
	traced_as_counted(w);
	world = w;
	newidle_cpus = w->cpus;
	newidle_domains_free();
	free_percpu(w->rqs);
}
