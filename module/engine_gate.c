// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine gate: stand before the function that tries one domain.
 *
 * The kernel's new-idle balance walks a CPU's domains, lowest first, and calls
 * the balancer once for each.  Our function takes the balancer's place; for a
 * newly idle CPU it may answer "nothing pulled" without calling it.  All else
 * of the kernel's walk stays in force.
 */
#include "log.h"
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched/idle.h>
#include <linux/sched/topology.h>
#include <linux/static_call.h>
#include "attempt.h"
#include "compat.h"
#include "domains.h"
#include "engine.h"
#include "kernel.h"
#include "retry.h"

enum newidle_lock_contract newidle_lock_contract __read_mostly;

/* Calls with the lock taken that make chance an unlikely reason. */
#define LOCK_SAMPLES 4096

typedef int balancer_fn(int this_cpu, struct rq *this_rq,
			struct sched_domain *sd, enum cpu_idle_type idle,
			int *continue_balancing);

/* The kernel's own function, past its ftrace entry: at it we would meet us. */
DEFINE_STATIC_CALL_NULL(newidle_balancer, balancer_fn);

/*
 * The balancer is entered with the run queue unlocked.  Should a kernel move
 * the unlock into it, the lock would be held here in every single call, and
 * returning early would leave it so.
 */
static noinline void prove_lock_contract(const struct rq *rq)
{
	static atomic_t samples;

	if (READ_ONCE(newidle_lock_contract) == NEWIDLE_LOCK_BROKEN)
		return;
	if (!newidle_rq_lock_held(rq))
		WRITE_ONCE(newidle_lock_contract, NEWIDLE_LOCK_FREE);
	else if (atomic_inc_return(&samples) > LOCK_SAMPLES)
		WRITE_ONCE(newidle_lock_contract, NEWIDLE_LOCK_BROKEN);
}

/*
 * The policy's answer for one domain, and what comes of it.
 *
 * Return: tasks pulled.
 */
static int try_or_skip(struct newidle_cpu *c, struct newidle_domain *d,
		       int this_cpu, struct rq *this_rq, struct sched_domain *sd,
		       int *continue_balancing)
{
	bool ours = READ_ONCE(newidle_settings.policy) != NEWIDLE_STOCK;
	bool may_skip = READ_ONCE(newidle_lock_contract) == NEWIDLE_LOCK_FREE;
	u32 weight;
	u64 begin;
	int pulled;

	if (newidle_is_too_wide(d) && ours && may_skip) {
		newidle_pass_over(c, d, this_rq);
		return 0;
	}
	if (!newidle_ask(c, d, may_skip, this_rq, &weight)) {
		newidle_book_skip(d, this_cpu);
		return 0;
	}
	begin = sched_clock_cpu(this_cpu);
	pulled = static_call(newidle_balancer)(this_cpu, this_rq, sd,
					       CPU_NEWLY_IDLE, continue_balancing);
	newidle_book_attempt(c, d, ours, weight, pulled, begin,
			     sched_clock_cpu(this_cpu), this_rq);
	return pulled;
}

/*
 * The second look, in the call for the last domain.
 *
 * Return: tasks pulled.
 */
static noinline int look_again(struct newidle_cpu *c, int this_cpu,
			       struct rq *this_rq, struct sched_domain *last)
{
	u64 left = newidle_retry_left(c, this_rq), begin, cost;
	struct sched_domain *sd = newidle_lowest(last);
	int pulled = 0, continue_balancing = 1;
	struct newidle_domain *d;

	if (!left)
		return 0;
	newidle_undo_prepare(c, this_rq, last);
	while ((sd = newidle_retry_next(c, sd, this_cpu, left, &d))) {
		begin = sched_clock_cpu(this_cpu);
		pulled = static_call(newidle_balancer)(this_cpu, this_rq, sd,
						       CPU_NEWLY_IDLE,
						       &continue_balancing);
		cost = newidle_book_retry(c, d, pulled, begin,
					  sched_clock_cpu(this_cpu), this_rq);
		newidle_charge_retry(c, sd, last, cost);
		if (pulled || !continue_balancing)
			break;
		sd = rcu_dereference_raw(sd->parent);
	}
	return pulled;
}

/*
 * Replaces sched_balance_rq() (before 6.10: load_balance()).
 *
 * Context: for a newly idle CPU interrupts are off, its run queue is unlocked,
 * and domains are kept by RCU.
 */
static int newidle_gate(int this_cpu, struct rq *this_rq,
			struct sched_domain *sd, enum cpu_idle_type idle,
			int *continue_balancing)
{
	struct newidle_domain *d;
	struct newidle_cpu *c;
	bool retry;
	int pulled;

	if (idle != CPU_NEWLY_IDLE)
		goto pass;
	if (unlikely(READ_ONCE(newidle_lock_contract) != NEWIDLE_LOCK_FREE))
		prove_lock_contract(this_rq);
	c = per_cpu_ptr(newidle_cpus, this_cpu);
	if (unlikely(c->undo.sd) && newidle_is_first(sd))
		newidle_undo_retry(c, this_rq, sd);
	if (!READ_ONCE(newidle_live))
		goto pass;

	d = newidle_domain_get(c, sd, this_cpu);
	if (unlikely(!d))
		goto pass;

	retry = newidle_looks_again(sd);
	if (retry && newidle_is_first(sd))
		newidle_pass_begin(c);
	pulled = try_or_skip(c, d, this_cpu, this_rq, sd, continue_balancing);
	if (retry && !pulled && *continue_balancing && newidle_is_last(sd))
		pulled = look_again(c, this_cpu, this_rq, sd);
	return pulled;
pass:
	return static_call(newidle_balancer)(this_cpu, this_rq, sd, idle,
					     continue_balancing);
}

/*
 * The same place under engine swap: sees what the kernel's own new-idle balance
 * tries while the policy is stock.  What our own steps try they count.
 */
static int newidle_count(int this_cpu, struct rq *this_rq,
			 struct sched_domain *sd, enum cpu_idle_type idle,
			 int *continue_balancing)
{
	struct newidle_cpu *c = per_cpu_ptr(newidle_cpus, this_cpu);
	struct newidle_domain *d = NULL;
	u64 begin;
	u32 weight;
	int pulled;

	if (idle == CPU_NEWLY_IDLE && READ_ONCE(newidle_live) && !c->in_steps)
		d = newidle_domain_get(c, sd, this_cpu);
	if (!d)
		return static_call(newidle_balancer)(this_cpu, this_rq, sd,
						     idle, continue_balancing);
	newidle_ask(c, d, false, this_rq, &weight);
	begin = sched_clock_cpu(this_cpu);
	pulled = static_call(newidle_balancer)(this_cpu, this_rq, sd, idle,
					       continue_balancing);
	newidle_book_attempt(c, d, false, weight, pulled, begin,
			     sched_clock_cpu(this_cpu), this_rq);
	return pulled;
}

static void find_way_past_hook(void)
{
	static_call_update(newidle_balancer,
			   (void *)(newidle_kernel.balancer.entry + MCOUNT_INSN_SIZE));
}

/**
 * newidle_gate_counter() - the hook that only counts, for engine swap
 *
 * Return: it, ready to be used.
 */
struct newidle_hook newidle_gate_counter(void)
{
	find_way_past_hook();
	return (struct newidle_hook){ &newidle_kernel.balancer, newidle_count };
}

/**
 * newidle_gate_open() - can this engine work here?  Make it ready to be hooked
 * @engine: filled
 * @why: filled with the reason if it can't
 * @len: size of @why
 *
 * Return: 0, or an error.
 */
int newidle_gate_open(struct newidle_engine *engine, char *why, size_t len)
{
	if (newidle_kernel.native == NEWIDLE_NATIVE_NONE &&
	    NEWIDLE_MAYBE_COST_RULE) {
		scnprintf(why, len, "it books 3/2 of the highest cost for a failed pull, and would take each skip for one");
		return -EOPNOTSUPP;
	}
	find_way_past_hook();
	*engine = (struct newidle_engine){
		.name = "gate",
		.hooks = {
			{ &newidle_kernel.balancer, newidle_gate },
		},
		.takes_dice = true,
	};
	return 0;
}
