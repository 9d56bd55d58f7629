// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine swap: our own new-idle balance in the place of the kernel's.
 *
 * newidle_swap() below has all the steps in their order; each does what the
 * kernel's function does at that point, in every dialect that is tested (see
 * dialect.h), but for the question whether to try a domain, which the policy
 * answers.  With policy stock the kernel's own function runs.
 *
 * Context of everything here: schedule() on a CPU that has run out of fair
 * tasks, interrupts off, this run queue's lock held but where said.
 */
#include "log.h"
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/idle.h>
#include <linux/sched/topology.h>
#include <linux/static_call.h>
#include "attempt.h"
#include "compat.h"
#include "dialect.h"
#include "engine.h"
#include "kernel.h"
#include "pin.h"
#include "retry.h"

typedef int newidle_fn(struct rq *rq, struct rq_flags *rf);
typedef void rq_unlock_fn(struct rq *rq);
typedef void rq_lock_fn(struct rq *rq, int subclass);
typedef void update_blocked_fn(int cpu);
typedef int balancer_fn(int this_cpu, struct rq *this_rq,
			struct sched_domain *sd, enum cpu_idle_type idle,
			int *continue_balancing);

/* The kernel's own new-idle balance, past its ftrace entry. */
DEFINE_STATIC_CALL_NULL(newidle_own, newidle_fn);
/* The balancer at its entry, so that tracers and later livepatches see it. */
DEFINE_STATIC_CALL_NULL(newidle_try, balancer_fn);
DEFINE_STATIC_CALL_NULL(newidle_update_blocked, update_blocked_fn);
DEFINE_STATIC_CALL_NULL(newidle_lock_rq, rq_lock_fn);
DEFINE_STATIC_CALL_NULL(newidle_unlock_rq, rq_unlock_fn);

/* Of rq.nohz_flags: update blocked load before this CPU idles. */
#define NOHZ_UPDATE_BLOCKED	BIT(2)

/**
 * struct pass - one walk over the domains
 * @rq: this CPU's run queue
 * @cpu: this CPU
 * @next_balance: earliest time at which a domain wants its periodic balance,
 *	jiffies
 * @cost: time spent so far, ns
 * @pulled: tasks that the last attempt pulled
 */
struct pass {
	struct rq *rq;
	int cpu;
	unsigned long next_balance;
	u64 cost;
	int pulled;
};

static unsigned int fair_tasks(struct rq *rq)
{
	return READ_ONCE(*(unsigned int *)newidle_at(newidle_at(rq, NEWIDLE_RQ_CFS),
						     newidle_dialect.fair_tasks));
}

/* An idle CPU has no task that is too big for it. */
static void forget_misfit(struct rq *rq)
{
	if (static_key_enabled(newidle_running.asym_capacity))
		AT(unsigned long, rq, RQ_MISFIT) = 0;
}

/* Has any CPU of this root domain a task too many? */
static bool is_overloaded(struct rq *rq)
{
	void *rd = AT(void *, rq, RQ_RD);

	if (newidle_dialect.root_overloaded == NEWIDLE_RD_OVERLOADED)
		return READ_ONCE(AT(bool, rd, RD_OVERLOADED));
	return READ_ONCE(AT(int, rd, RD_OVERLOAD));
}

/* Will this CPU be idle for too short a time to spend so much of it? */
static bool exceeds_idle(const struct pass *p, struct sched_domain *sd)
{
	if (AT(u64, p->rq, RQ_AVG_IDLE) >= p->cost + sd->max_newidle_lb_cost)
		return false;
	newidle_give_up(per_cpu_ptr(newidle_cpus, p->cpu), sd, p->rq);
	return true;
}

/* The periodic balance of an idle CPU is due when that of a domain is. */
static void note_next_balance(struct pass *p, const struct sched_domain *sd)
{
	unsigned long longest = READ_ONCE(*newidle_running.max_interval);
	unsigned long interval = msecs_to_jiffies(sd->balance_interval);
	unsigned long next = sd->last_balance + clamp(interval, 1UL, longest);

	if (time_after(p->next_balance, next))
		p->next_balance = next;
}

/*
 * A domain's cost is the highest seen, and sinks by about 1 % in a second
 * without a higher one.  The rule of 155213a2aed4, which some kernels have, is
 * the user's choice on all.
 */
static void book_cost(struct sched_domain *sd, u64 cost, bool pulled)
{
	const bool bumps = READ_ONCE(newidle_settings.cost_bump);

	if (bumps && !pulled)
		cost = 3 * sd->max_newidle_lb_cost / 2;

	if (cost > sd->max_newidle_lb_cost) {
		if (bumps)
			cost = min_t(u64, cost,
				     READ_ONCE(*newidle_running.migration_cost) + 200);
		sd->max_newidle_lb_cost = cost;
		sd->last_decay_max_lb_cost = jiffies;
	} else if (time_after(jiffies, sd->last_decay_max_lb_cost + HZ)) {
		sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
		sd->last_decay_max_lb_cost = jiffies;
	}
}

/* Tell the counting hook that this attempt is ours. */
static int call_balancer(const struct pass *p, struct newidle_cpu *c,
			 struct sched_domain *sd, int *continue_balancing)
{
	int pulled;

	c->in_steps = true;
	pulled = static_call(newidle_try)(p->cpu, p->rq, sd, CPU_NEWLY_IDLE,
					  continue_balancing);
	c->in_steps = false;
	return pulled;
}

/*
 * Ask the policy about one domain, and try it.  The domain is charged with all
 * the time since @since, the policy with the balancer's alone.
 *
 * Unlocked, under RCU.
 *
 * Return: false if the policy skipped it.
 */
static bool try_domain(struct pass *p, struct sched_domain *sd, u64 *since,
		       int *continue_balancing)
{
	struct newidle_cpu *c = per_cpu_ptr(newidle_cpus, p->cpu);
	struct newidle_domain *d = newidle_domain_get(c, sd, p->cpu);
	bool ours = READ_ONCE(newidle_settings.policy) != NEWIDLE_STOCK;
	u32 weight = 1;
	u64 begin, end;

	if (likely(d) && newidle_is_too_wide(d)) {
		newidle_pass_over(c, d, p->rq);
		return false;
	}
	if (likely(d) && !newidle_ask(c, d, true, p->rq, &weight)) {
		newidle_book_skip(d, p->cpu);
		return false;
	}
	begin = sched_clock_cpu(p->cpu);
	p->pulled = call_balancer(p, c, sd, continue_balancing);
	end = sched_clock_cpu(p->cpu);
	if (likely(d))
		newidle_book_attempt(c, d, ours, weight, p->pulled, begin, end,
				     p->rq);

	p->cost += end - *since;
	book_cost(sd, end - *since, p->pulled);
	*since = end;
	return true;
}

/*
 * The second look: domains that the policy skipped.  Each is charged with its
 * own attempt; the pass, by which the kernel judges how long new-idle balance
 * takes, is not.
 *
 * Return: true if any was tried.
 */
static noinline bool look_again(struct pass *p, struct newidle_cpu *c,
				struct sched_domain *last)
{
	u64 left = newidle_retry_left(c, p->rq), begin, cost;
	struct sched_domain *sd = newidle_lowest(last);
	int continue_balancing = 1;
	struct newidle_domain *d;
	bool tried = false;

	while (left && (sd = newidle_retry_next(c, sd, p->cpu, left, &d))) {
		begin = sched_clock_cpu(p->cpu);
		p->pulled = call_balancer(p, c, sd, &continue_balancing);
		cost = newidle_book_retry(c, d, p->pulled, begin,
					  sched_clock_cpu(p->cpu), p->rq);
		book_cost(sd, cost, p->pulled);
		tried = true;
		if (p->pulled || !continue_balancing)
			break;
		sd = rcu_dereference(sd->parent);
	}
	return tried;
}

/* One domain, and a second look behind the last one.  False if none was tried. */
static bool visit_domain(struct pass *p, struct sched_domain *sd, u64 *since,
			 int *continue_balancing)
{
	struct newidle_cpu *c = per_cpu_ptr(newidle_cpus, p->cpu);
	const bool retry = newidle_looks_again(sd);
	bool tried;

	if (retry && newidle_is_first(sd))
		newidle_pass_begin(c);
	tried = try_domain(p, sd, since, continue_balancing);
	if (retry && !p->pulled && *continue_balancing && newidle_is_last(sd))
		tried |= look_again(p, c, sd);
	return tried;
}

/* May the walk end, because there is something to run or no use in going on? */
static bool is_done(const struct pass *p, int continue_balancing)
{
	if (p->pulled)
		return true;
	if (newidle_dialect.stops_when_busy)
		return READ_ONCE(AT(unsigned int, p->rq, RQ_NR_RUNNING)) > 0 ||
		       READ_ONCE(AT(unsigned int, p->rq, RQ_TTWU_PENDING));
	return !continue_balancing;
}

/* From the lowest domain up, as long as it is worth its time.  Unlocked. */
static void walk(struct pass *p)
{
	u64 since = sched_clock_cpu(p->cpu);
	int continue_balancing = 1;
	struct sched_domain *sd;

	static_call(newidle_update_blocked)(p->cpu);

	rcu_read_lock();
	for (sd = newidle_cpu_domains(p->cpu); sd;
	     sd = rcu_dereference(sd->parent)) {
		if (newidle_dialect.stops_when_busy)
			continue_balancing = 1;
		note_next_balance(p, sd);
		if (exceeds_idle(p, sd))
			break;
		if (newidle_is_wanted(sd) &&
		    !visit_domain(p, sd, &since, &continue_balancing))
			continue;
		if (is_done(p, continue_balancing))
			break;
	}
	rcu_read_unlock();
}

/*
 * What schedule() is to make of it.  Tasks may have come by themselves while
 * the lock was free.
 *
 * Return: 1 if there are fair tasks, -1 if there are others, 0 if there are none.
 */
static int outcome(const struct pass *p)
{
	unsigned int fair = fair_tasks(p->rq);

	if (AT(unsigned int, p->rq, RQ_NR_RUNNING) != fair)
		return -1;
	return p->pulled ?: fair > 0;
}

/* A CPU about to idle for some time sees to blocked load that is due. */
static void see_to_blocked_load(const struct pass *p)
{
	if (!newidle_running.has_blocked || !newidle_keeps_house(p->cpu) ||
	    AT(u64, p->rq, RQ_AVG_IDLE) < READ_ONCE(*newidle_running.migration_cost) ||
	    !READ_ONCE(*newidle_running.has_blocked) ||
	    time_before(jiffies, READ_ONCE(*newidle_running.next_blocked)))
		return;
	atomic_or(NOHZ_UPDATE_BLOCKED, &AT(atomic_t, p->rq, RQ_NOHZ_FLAGS));
}

/* Let go of the lock, walk, and take the lock again. */
static int balance(struct pass *p)
{
	u64 *max_cost = newidle_at(p->rq, NEWIDLE_RQ_MAX_COST);
	struct sched_domain *sd;
	bool worth_it = false;

	rcu_read_lock();
	sd = newidle_cpu_domains(p->cpu);
	if (sd) {
		worth_it = is_overloaded(p->rq) && !exceeds_idle(p, sd);
		if (!worth_it)
			note_next_balance(p, sd);
	}
	rcu_read_unlock();
	if (!worth_it)
		return 0;

	static_call(newidle_unlock_rq)(p->rq);
	walk(p);
	static_call(newidle_lock_rq)(p->rq, 0);

	if (p->cost > *max_cost)
		*max_cost = p->cost;
	return outcome(p);
}

/*
 * Replaces sched_balance_newidle() (before 6.10: newidle_balance()).
 *
 * Return: above 0 if there are fair tasks to run now, below 0 if there are
 * other tasks, 0 if there are none.
 */
static int newidle_swap(struct rq *rq, struct rq_flags *rf)
{
	struct pass p = {
		.rq = rq,
		.cpu = AT(int, rq, RQ_CPU),
		.next_balance = jiffies + HZ,
	};
	unsigned long *next_balance = newidle_at(rq, NEWIDLE_RQ_NEXT_BALANCE);
	int result;

	if (!READ_ONCE(newidle_live) ||
	    READ_ONCE(newidle_settings.policy) == NEWIDLE_STOCK)
		return static_call(newidle_own)(rq, rf);

	forget_misfit(rq);
	/* A task is on its way here: it will be enqueued by itself. */
	if (READ_ONCE(AT(unsigned int, rq, RQ_TTWU_PENDING)))
		return 0;
	/* The time of the balance itself counts as idle. */
	AT(u64, rq, RQ_IDLE_STAMP) = AT(u64, rq, RQ_CLOCK);
	/* No task is pulled to a CPU that goes offline. */
	if (!cpu_active(p.cpu))
		return 0;

	newidle_unpin(rq, rf);
	result = balance(&p);
	if (time_after(*next_balance, p.next_balance))
		*next_balance = p.next_balance;
	if (result)
		AT(u64, rq, RQ_IDLE_STAMP) = 0;
	else
		see_to_blocked_load(&p);
	newidle_repin(rq, rf);
	return result;
}

/**
 * newidle_swap_open() - can this engine work here?  Make it ready to be hooked
 * @engine: filled
 * @why: filled with the reason if it can't
 * @len: size of @why
 *
 * Return: 0, or an error.
 */
int newidle_swap_open(struct newidle_engine *engine, char *why, size_t len)
{
	int err = newidle_dialect_find(why, len);

	if (err)
		return err;
	static_call_update(newidle_own,
			   (void *)(newidle_running.own.entry + MCOUNT_INSN_SIZE));
	static_call_update(newidle_try, (void *)newidle_kernel.balancer.addr);
	static_call_update(newidle_update_blocked,
			   (void *)newidle_running.update_blocked);
	static_call_update(newidle_lock_rq, (void *)newidle_running.rq_lock);
	static_call_update(newidle_unlock_rq, (void *)newidle_running.rq_unlock);
	*engine = (struct newidle_engine){
		.name = "swap",
		.hooks = {
			{ &newidle_running.own, newidle_swap },
			newidle_gate_counter(),
		},
		.books_costs = true,
	};
	return 0;
}
