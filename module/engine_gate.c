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
#include <linux/sched/clock.h>
#include <linux/sched/idle.h>
#include <linux/sched/topology.h>
#include <linux/static_call.h>
#include "compat.h"
#include "domains.h"
#include "engine.h"
#include "kernel.h"

bool newidle_live __read_mostly;
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

/* An attempt came back: book it. */
static void attempted(struct newidle_cpu *c, struct newidle_domain *d,
		      bool book, u32 weight, bool pulled, u64 begin, u64 end)
{
	u64 cost = end > begin ? end - begin : 0;

	if (book)
		newidle_account_attempt(&d->state, &newidle_settings, pulled,
					weight, cost, end);
	newidle_count_begin(c);
	d->count.pulls += pulled;
	d->count.cost_ns += cost;
	newidle_count_end(c);
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
	bool book, try = true;
	struct newidle_domain *d;
	struct newidle_cpu *c;
	u32 weight = 1;
	int pulled;
	u64 begin;

	if (idle != CPU_NEWLY_IDLE)
		goto pass;
	if (unlikely(READ_ONCE(newidle_lock_contract) != NEWIDLE_LOCK_FREE))
		prove_lock_contract(this_rq);
	if (!READ_ONCE(newidle_live))
		goto pass;

	c = per_cpu_ptr(newidle_cpus, this_cpu);
	d = newidle_domain_get(c, sd, this_cpu);
	if (unlikely(!d))
		goto pass;

	book = READ_ONCE(newidle_settings.policy) != NEWIDLE_STOCK;
	if (likely(READ_ONCE(newidle_lock_contract) == NEWIDLE_LOCK_FREE))
		try = newidle_decide(&newidle_settings, &d->state, &c->rng,
				     &weight);
	newidle_count_begin(c);
	d->count.calls++;
	if (try)
		d->count.attempts++;
	else
		d->count.skips++;
	newidle_count_end(c);

	if (!try) {
		newidle_account(&d->state, &newidle_settings, 0,
				sched_clock_cpu(this_cpu));
		return 0;
	}
	begin = sched_clock_cpu(this_cpu);
	pulled = static_call(newidle_balancer)(this_cpu, this_rq, sd, idle,
					       continue_balancing);
	attempted(c, d, book, weight, pulled, begin, sched_clock_cpu(this_cpu));
	return pulled;
pass:
	return static_call(newidle_balancer)(this_cpu, this_rq, sd, idle,
					     continue_balancing);
}

/**
 * newidle_gate_open() - can this engine work here?  Make it ready to be hooked
 * @engine: filled
 *
 * Return: 0, or an error that was logged.
 */
int newidle_gate_open(struct newidle_engine *engine)
{
	if (newidle_kernel.native == NEWIDLE_NATIVE_NONE &&
	    NEWIDLE_MAYBE_COST_RULE) {
		pr_err("engine gate can't work on this kernel: it books 3/2 of the highest cost for a failed pull, and would take each skip for one\n");
		return -EOPNOTSUPP;
	}
	static_call_update(newidle_balancer,
			   (void *)(newidle_kernel.balancer_entry + MCOUNT_INSN_SIZE));
	*engine = (struct newidle_engine){
		.name   = "gate",
		.target = newidle_kernel.balancer,
		.hook   = newidle_gate,
	};
	return 0;
}
