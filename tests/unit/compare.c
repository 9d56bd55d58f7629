// SPDX-License-Identifier: GPL-2.0-only
/* One event in a make-believe machine, and comparisons of two after it. */
#include "world.h"

static struct rq *the_rq(const struct world *w)
{
	return per_cpu_ptr(w->rqs, w->ev->cpu);
}

/* The run queue as the event wants it. */
static void prepare(struct world *w, const struct event *ev)
{
	struct rq *rq = the_rq(w);
	int i;

	w->rd.overloaded = ev->overloaded;
	/* Any number but 0 says so. */
	w->rd.overload = ev->overloaded ? 256 : 0;
	for (i = 0; i < DEPTHS; i++) {
		if (ev->balanced & BIT(i))
			w->sd[ev->cpu][i].last_balance = world_jiffies() - (unsigned long)i;
		if (ev->forgets)
			w->sd[ev->cpu][i].max_newidle_lb_cost = 3000;
	}
	asym_capacity.enabled = ev->asym;
	/* The key exists with the dialect's bit alone. */
	scx_enabled.enabled = ev->scx && w->series->dialect.scx_clock_bit;
	housekeeping_overridden.enabled = ev->house_overridden;
	has_blocked = ev->has_blocked;
	next_blocked = world_jiffies() + (unsigned long)ev->next_blocked;

	rq->sd = ev->no_domain || !w->sd[ev->cpu][0].flags ? NULL : w->sd[ev->cpu];
	rq->core_enabled = ev->core;
	rq->clock = w->now - 100;
	rq->clock_update_flags = ev->clock_flags;
	rq->avg_idle = ev->avg_idle;
	rq->nr_running = ev->others;
	rq->cfs.h_nr = 0;
	rq->ttwu_pending = ev->ttwu;
	rq->next_balance = world_jiffies() + (unsigned long)ev->next_balance;
	rq->misfit = 77;
	rq->nohz_flags.counter = 3;
	rq->scx.flags = 0xff;
	rq->idle_stamp = 0;
	w->rf.clock_update_flags = 0;
	w->rf.cookie.val++;
}

/* What schedule() gets back. */
int world_run(struct world *w, const struct event *ev)
{
	struct newidle_cpu *c = per_cpu_ptr(w->cpus, ev->cpu);
	struct rq *rq, *holder;
	int result;

	world = w;
	newidle_cpus = w->cpus;
	newidle_kernel.runqueues = w->rqs;
	w->ev = ev;
	w->steps = 0;
	w->over_budget = false;
	w->now += ev->since;
	prepare(w, ev);

	rq = the_rq(w);
	holder = ev->core ? rq->core : rq;
	holder->lock.taken = true;
	result = (w->newidle ?: walk_newidle)(rq, &w->rf);
	assert_true(holder->lock.taken);
	holder->lock.taken = false;
	assert_int_equal(w->rcu, 0);
	assert_false(c->in_steps);
	assert_int_equal(c->seq.sequence & 1, 0);
	return result;
}

bool world_pulls(const struct world *w, int depth)
{
	int i;

	for (i = 0; i < w->steps; i++) {
		if (w->trace[i].what == TRY && w->trace[i].with == depth)
			return w->ev->answer[depth].pulled > 0;
	}
	return false;
}

static void tell_steps(const struct world *w)
{
	static const char *const names[] = { "unpin", "unlock", "blocked", "try",
					     "lock", "repin" };
	int i;

	for (i = 0; i < w->steps; i++)
		print_message("# %s(%d) ", names[w->trace[i].what], w->trace[i].with);
	print_message("\n");
}

void same_steps(const struct world *a, const struct world *b, u32 n)
{
	int i;

	for (i = 0; i < a->steps && i < b->steps; i++) {
		if (a->trace[i].what != b->trace[i].what ||
		    a->trace[i].with != b->trace[i].with ||
		    a->trace[i].when != b->trace[i].when)
			break;
	}
	if (i == a->steps && i == b->steps && a->now == b->now)
		return;
	tell_steps(a);
	tell_steps(b);
	fail_msg("%s, event %u: step %d differs", a->series->name, n, i);
}

#define SAME(what, a, b)						\
	do {								\
		if ((u64)(a) != (u64)(b))				\
			fail_msg("%s, event %u, cpu %d: %s is %llu and %llu", \
				 world->series->name, n, world->ev->cpu, what, \
				 (unsigned long long)(a), (unsigned long long)(b)); \
	} while (0)

void same_rq(const struct world *a, const struct world *b, u32 n)
{
	const struct rq *x = the_rq(a), *y = the_rq(b);
	const char *xs = (const char *)x, *ys = (const char *)y;
	const size_t start = offsetof(struct rq, core_enabled);
	const size_t cost = offsetof(struct rq, max_idle_balance_cost);
	const size_t past = cost + sizeof(x->max_idle_balance_cost);

	SAME("clock_update_flags", x->clock_update_flags, y->clock_update_flags);
	SAME("idle_stamp", x->idle_stamp, y->idle_stamp);
	SAME("next_balance", x->next_balance, y->next_balance);
	SAME("misfit", x->misfit, y->misfit);
	SAME("nohz_flags", x->nohz_flags.counter, y->nohz_flags.counter);
	SAME("scx.flags", x->scx.flags, y->scx.flags);
	SAME("rf.clock_update_flags", a->rf.clock_update_flags, b->rf.clock_update_flags);
	SAME("another byte", 0, memcmp(xs + start, ys + start, cost - start));
	SAME("another byte", 0, memcmp(xs + past, ys + past, sizeof(*x) - past));
	SAME("a byte of rf", 0, memcmp(&a->rf, &b->rf, sizeof(a->rf)));
	SAME("a byte of rd", 0, memcmp(&a->rd, &b->rd, sizeof(a->rd)));
}

void same_max_cost(const struct world *a, const struct world *b, u32 n)
{
	SAME("max_idle_balance_cost", the_rq(a)->max_idle_balance_cost,
	     the_rq(b)->max_idle_balance_cost);
}

void same_domains(const struct world *a, const struct world *b, u32 n)
{
	int i;

	for (i = 0; i < DEPTHS; i++) {
		const struct sched_domain *x = &a->sd[a->ev->cpu][i];
		const struct sched_domain *y = &b->sd[b->ev->cpu][i];

		SAME("max_newidle_lb_cost", x->max_newidle_lb_cost, y->max_newidle_lb_cost);
		SAME("last_decay_max_lb_cost", x->last_decay_max_lb_cost,
		     y->last_decay_max_lb_cost);
		SAME("last_balance", x->last_balance, y->last_balance);
		SAME("balance_interval", x->balance_interval, y->balance_interval);
	}
}

static const struct newidle_domain *entry(const struct world *w, int level)
{
	return &per_cpu_ptr(w->cpus, w->ev->cpu)->level[level];
}

static void same_count(const struct newidle_counters *x,
		       const struct newidle_counters *y, u32 n)
{
	SAME("calls", x->calls, y->calls);
	SAME("attempts", x->attempts, y->attempts);
	SAME("skips", x->skips, y->skips);
	SAME("pulls", x->pulls, y->pulls);
	SAME("cost_ns", x->cost_ns, y->cost_ns);
	SAME("retries", x->retries, y->retries);
	SAME("retry_pulls", x->retry_pulls, y->retry_pulls);
	SAME("over_limit", x->over_limit, y->over_limit);
}

void same_policy(const struct world *a, const struct world *b, u32 n)
{
	int i;

	SAME("rng", per_cpu_ptr(a->cpus, a->ev->cpu)->rng.s,
	     per_cpu_ptr(b->cpus, b->ev->cpu)->rng.s);
	for (i = 0; i < NEWIDLE_LEVELS; i++) {
		const struct newidle_domain *x = entry(a, i), *y = entry(b, i);

		same_count(&x->count, &y->count, n);
		SAME("state: calls", x->state.calls, y->state.calls);
		SAME("state: success", x->state.success, y->state.success);
		SAME("state: ratio", x->state.ratio, y->state.ratio);
		SAME("state: stamp", x->state.stamp, y->state.stamp);
		SAME("state: window", x->state.window, y->state.window);
		SAME("state: due", x->state.due, y->state.due);
		SAME("state: credit", x->state.credit, y->state.credit);
		SAME("state: cost", x->state.cost, y->state.cost);
		SAME("state: skipped", x->state.skipped, y->state.skipped);
		SAME("state: patience", x->state.patience, y->state.patience);
		SAME("epoch", x->epoch, y->epoch);
		/* A walk that ended for its cost, which gate does not see. */
		if (x->sd && y->sd)
			SAME("depth", x->depth, y->depth);
	}
}

/* An engine's books against those of the kernel's own dice. */
void right_counts(const struct world *w, const struct world *kernel, u32 n)
{
	int i;

	for (i = 0; i < DEPTHS; i++) {
		const struct dice *dice = &kernel->dice[w->ev->cpu][i];
		const struct newidle_domain *d = entry(w, w->sd[w->ev->cpu][i].level);

		/* Never asked, or no domain. */
		if (!d->sd || d->sd != &w->sd[w->ev->cpu][i]) {
			SAME("calls of an unknown domain", 0, dice->count.calls);
			/* Not all of a CPU's domains are in its chain. */
			if (!d->sd && (!i || w->sd[w->ev->cpu][i].child))
				SAME("over_budget of an unknown domain",
				     d->count.over_budget, dice->count.over_budget);
			continue;
		}
		same_count(&d->count, &dice->count, n);
		SAME("over_budget", d->count.over_budget, dice->count.over_budget);
		SAME("state: calls", d->state.calls, dice->calls);
		SAME("state: success", d->state.success, dice->success);
		SAME("state: ratio", d->state.ratio, dice->ratio);
		if (dice->stamp)
			SAME("state: stamp", d->state.stamp, dice->stamp);
	}
	SAME("rng", per_cpu_ptr(w->cpus, w->ev->cpu)->rng.s,
	     kernel->rng[w->ev->cpu].s);
}
