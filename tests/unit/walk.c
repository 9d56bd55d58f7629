// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel's new-idle balance, as a table of its versions tells it: what engine
 * gate sits in, and what engine swap has to equal.  Written from what the
 * kernels do and not from the engine, in another order and with other means.
 *
 * Its own dice follow NI_RANDOM, with two things as in newidle: the ratio is at
 * most 1024, and no die is thrown at 1024, as upstream has it since 7.1.  Both
 * change no decision but one: before, a ratio above 2048 let successes count
 * nothing.
 */
#include "world.h"

struct outing {
	struct rq *rq;
	unsigned long soonest;
	u64 mark, spent;
	int got;
};

static unsigned long due(const struct sched_domain *sd)
{
	unsigned long wait = (sd->balance_interval + 3) / 4;

	if (wait == 0)
		wait = 1;
	else if (wait > max_interval)
		wait = max_interval;
	return sd->last_balance + wait;
}

static void sooner(struct outing *o, const struct sched_domain *sd)
{
	if ((long)(due(sd) - o->soonest) < 0)
		o->soonest = due(sd);
}

/* Does a try of this domain cost more than the CPU will be idle for? */
static bool too_dear(const struct outing *o, const struct sched_domain *sd)
{
	return o->spent + sd->max_newidle_lb_cost > o->rq->avg_idle;
}

/* Returns what a success counts; 0: skip. */
static u32 roll(const struct dice *dice, struct newidle_rng *rng)
{
	u32 share = dice->ratio + 1;

	if (!world->rolls || dice->ratio == 1024)
		return 1;
	if (newidle_rng_draw(rng) > share)
		return 0;
	return (2 * 1024 + share) / (2 * share);
}

static void book(struct dice *dice, u32 success)
{
	dice->success += success;
	if (++dice->calls < 1024)
		return;
	dice->ratio = dice->success > 1024 ? 1024 : dice->success;
	dice->stamp = world->now;
	dice->success /= 2;
	dice->calls /= 2;
}

static void charge(struct sched_domain *sd, u64 cost)
{
	u64 most = cost;

	if (world->series->dialect.bumps_cost && cost > migration_cost + 200)
		most = migration_cost + 200;
	if (cost > sd->max_newidle_lb_cost)
		sd->max_newidle_lb_cost = most;
	else if ((long)(jiffies - sd->last_decay_max_lb_cost) <= (long)HZ)
		return;
	else
		sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
	sd->last_decay_max_lb_cost = jiffies;
}

/* Returns true if the walk goes on to the next domain whatever came of it. */
static bool visit(struct outing *o, struct sched_domain *sd, int depth,
		  int *go_on)
{
	int cpu = o->rq->cpu;
	struct dice *dice = &world->dice[cpu][depth];
	u32 weight = roll(dice, &world->rng[cpu]);
	u64 began, cost;

	dice->count.calls++;
	if (!weight) {
		dice->count.skips++;
		book(dice, 0);
		return true;
	}
	dice->count.attempts++;
	began = world->now;
	o->got = world_balancer(cpu, o->rq, sd, CPU_NEWLY_IDLE, go_on);
	dice->count.cost_ns += world->now - began;
	dice->count.pulls += o->got > 0;

	cost = world->now - o->mark;
	o->mark = world->now;
	o->spent += cost;
	if (cost)
		book(dice, o->got ? weight : 0);
	if (!o->got && world->series->dialect.bumps_cost)
		charge(sd, sd->max_newidle_lb_cost * 3 / 2);
	else
		charge(sd, cost);
	return false;
}

/* What is asked about is counted when the walk ends before it, for its cost. */
static bool ends_before(const struct outing *o, const struct sched_domain *sd,
			int depth)
{
	if (!too_dear(o, sd))
		return false;
	if (sd->flags & SD_BALANCE_NEWIDLE)
		world->dice[o->rq->cpu][depth].count.over_budget++;
	return true;
}

static void outdoors(struct outing *o, struct sched_domain *lowest)
{
	bool by_tasks = world->series->dialect.stops_when_busy;
	struct sched_domain *sd;
	int go_on = 1, depth = 0;

	o->mark = world->now;
	world_step(BLOCKED, o->rq->cpu);
	rcu_read_lock();
	for (sd = lowest; sd; sd = sd->parent, depth++) {
		if (by_tasks)
			go_on = 1;
		sooner(o, sd);
		if (ends_before(o, sd, depth)) {
			world->over_budget = true;
			break;
		}
		if ((sd->flags & SD_BALANCE_NEWIDLE) && visit(o, sd, depth, &go_on))
			continue;
		if (o->got)
			break;
		if (by_tasks ? o->rq->nr_running || o->rq->ttwu_pending : !go_on)
			break;
	}
	rcu_read_unlock();
}

/* All that happens between the unpinning and the repinning. */
static int unpinned(struct rq *rq)
{
	const struct newidle_dialect *is = &world->series->dialect;
	struct outing o = { .rq = rq, .soonest = world_jiffies() + HZ };
	bool go = is->root_overloaded == NEWIDLE_RD_OVERLOADED ?
		world->rd.overloaded : world->rd.overload != 0;

	if (rq->sd && (!go || ends_before(&o, rq->sd, 0))) {
		sooner(&o, rq->sd);
		go = false;
	}
	if (rq->sd && go) {
		world_step(UNLOCK, rq->cpu);
		outdoors(&o, rq->sd);
		world_step(LOCK, rq->cpu);
		if (rq->max_idle_balance_cost < o.spent)
			rq->max_idle_balance_cost = o.spent;
		if (rq->nr_running > rq->cfs.h_nr)
			o.got = -1;
		else if (!o.got && rq->cfs.h_nr)
			o.got = 1;
	}
	if ((long)(o.soonest - rq->next_balance) < 0)
		rq->next_balance = o.soonest;
	return o.got;
}

int walk_newidle(struct rq *rq, struct rq_flags *rf)
{
	const struct event *ev = world->ev;
	int result;

	if (asym_capacity.enabled)
		rq->misfit = 0;
	if (rq->ttwu_pending)
		return 0;
	rq->idle_stamp = rq->clock;
	if (ev->inactive)
		return 0;

	if (rq->clock_update_flags >= 3)
		rf->clock_update_flags = UPDATED;
	if (scx_enabled.enabled)
		rq->scx.flags &= ~world->series->dialect.scx_clock_bit;
	world_step(UNPIN, (int)rf->cookie.val);

	result = unpinned(rq);
	if (result)
		rq->idle_stamp = 0;
	else if ((!world->series->asks_house || !ev->house_overridden ||
		  !ev->not_housekeeping) &&
		 rq->avg_idle >= migration_cost && ev->has_blocked &&
		 (long)(world_jiffies() - next_blocked) >= 0)
		rq->nohz_flags.counter |= 4;

	world_step(REPIN, (int)rf->cookie.val);
	rq->clock_update_flags |= rf->clock_update_flags;
	return result;
}
