// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine swap with a twin: for some new-idle events the kernel's own function
 * and our steps both run on the same inputs, and what they leave behind is
 * compared.  Stands in for engine_swap.c in a build that only tests load.
 *
 * While the twins run the balancer answers from a script, so nothing is pulled
 * and both are told the same.  The inputs are made up for each event, so that
 * all ways through the function are taken; afterwards they are put back and the
 * real thing runs.  Policy always and the kernel's dice off, so that neither
 * skips.
 *
 * Times are read by each twin by itself; so costs are not compared with each
 * other but each with the span that the calls' times allow.
 */
#include "engine.h"

int newidle_swap_open_steps(struct newidle_engine *engine, char *why, size_t len);

#define newidle_swap_open newidle_swap_open_steps
#include "engine_swap.c"
#undef newidle_swap_open

#include <linux/module.h>
#include "twin.h"

/* Seeded faults of our steps: see faults.sed. */
int twin_fault;
module_param(twin_fault, int, 0644);

static DEFINE_PER_CPU(struct twin, twins);
static atomic_t seen[NR_KINDS], discarded[NR_DISCARDS];
static atomic_t compared, different;
/* One CPU at a time: some inputs are the same for all. */
static atomic_t busy;
static struct difference first[8];

/* The hook of engine swap that counts; ours takes its place and calls it. */
static balancer_fn *count_hook;

static u32 draw(struct twin *t, u32 below)
{
	t->random = t->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (t->random >> 33) % below;
}

static int scripted_balancer(int this_cpu, struct rq *this_rq,
			     struct sched_domain *sd, enum cpu_idle_type idle,
			     int *continue_balancing)
{
	struct twin *t = per_cpu_ptr(&twins, this_cpu);
	struct call *call;
	struct answer *a;
	int i;

	if (idle != CPU_NEWLY_IDLE || !t->run)
		return count_hook(this_cpu, this_rq, sd, idle, continue_balancing);
	if (t->run->calls == MAX_DOMAINS)
		return 0;
	a = &t->script[t->run->calls];
	call = &t->run->call[t->run->calls++];
	call->sd = sd;
	call->entry = sched_clock_cpu(this_cpu);
	/* Not until a time: an unstable clock stands still without the tick. */
	for (i = 0; i < a->rounds; i++)
		cpu_relax();
	call->exit = sched_clock_cpu(this_cpu);
	if (!a->goes_on)
		*continue_balancing = 0;
	return a->pulled;
}

/* All that new-idle balance may read or change, but for the time. */
static void take(struct state *s, struct rq *rq, struct rq_flags *rf)
{
	struct sched_domain *sd;

	s->next_balance = AT(unsigned long, rq, RQ_NEXT_BALANCE);
	s->idle_stamp = AT(u64, rq, RQ_IDLE_STAMP);
	s->avg_idle = AT(u64, rq, RQ_AVG_IDLE);
	s->max_cost = AT(u64, rq, RQ_MAX_COST);
	s->misfit = AT(unsigned long, rq, RQ_MISFIT);
	s->clock_flags = AT(unsigned int, rq, RQ_CLOCK_UPDATE_FLAGS);
	s->rf_flags = AT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS);
	s->ttwu_pending = AT(unsigned int, rq, RQ_TTWU_PENDING);
	s->nohz = atomic_read(&AT(atomic_t, rq, RQ_NOHZ_FLAGS)) & NOHZ_UPDATE_BLOCKED;
	s->domains = 0;
	for (sd = newidle_cpu_domains(AT(int, rq, RQ_CPU));
	     sd && s->domains < MAX_DOMAINS; sd = rcu_dereference(sd->parent)) {
		struct domain_state *d = &s->domain[s->domains++];

		d->sd = sd;
		d->cost = sd->max_newidle_lb_cost;
		d->decay = sd->last_decay_max_lb_cost;
		d->flags = sd->flags;
	}
}

static void give(const struct state *s, struct rq *rq, struct rq_flags *rf)
{
	atomic_t *nohz = &AT(atomic_t, rq, RQ_NOHZ_FLAGS);
	int i;

	AT(unsigned long, rq, RQ_NEXT_BALANCE) = s->next_balance;
	AT(u64, rq, RQ_IDLE_STAMP) = s->idle_stamp;
	AT(u64, rq, RQ_AVG_IDLE) = s->avg_idle;
	AT(u64, rq, RQ_MAX_COST) = s->max_cost;
	AT(unsigned long, rq, RQ_MISFIT) = s->misfit;
	AT(unsigned int, rq, RQ_CLOCK_UPDATE_FLAGS) = s->clock_flags;
	AT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS) = s->rf_flags;
	WRITE_ONCE(AT(unsigned int, rq, RQ_TTWU_PENDING), s->ttwu_pending);
	/* Others set other bits meanwhile. */
	if (s->nohz)
		atomic_or(NOHZ_UPDATE_BLOCKED, nohz);
	else
		atomic_andnot(NOHZ_UPDATE_BLOCKED, nohz);
	for (i = 0; i < s->domains; i++) {
		s->domain[i].sd->max_newidle_lb_cost = s->domain[i].cost;
		s->domain[i].sd->last_decay_max_lb_cost = s->domain[i].decay;
		s->domain[i].sd->flags = s->domain[i].flags;
	}
}

static void set_overloaded(struct rq *rq, bool on)
{
	void *rd = AT(void *, rq, RQ_RD);

	if (newidle_dialect.root_overloaded == NEWIDLE_RD_OVERLOADED)
		WRITE_ONCE(AT(bool, rd, RD_OVERLOADED), on);
	else
		WRITE_ONCE(AT(int, rd, RD_OVERLOAD), on);
}

/* Inputs that lead everywhere, and the balancer's script. */
static void make_up(struct twin *t, struct state *s)
{
	static const u64 idle[] = { 1000000, 1000000, 1000000, 40000, 0 };
	static const u64 cost[] = { 0, 500, 100000, 600000, 3000000 };
	static const long away[] = { -5, 3, 100, 5000 };
	static const unsigned int flags[] = { 2, 4, 6 };
	int i;

	s->avg_idle = idle[draw(t, ARRAY_SIZE(idle))] + draw(t, 1000);
	s->next_balance = jiffies + away[draw(t, ARRAY_SIZE(away))];
	s->idle_stamp = 12345;
	s->misfit = 77;
	s->max_cost = draw(t, 2) ? 500000 : 100;
	s->clock_flags = flags[draw(t, ARRAY_SIZE(flags))];
	s->rf_flags = 0;
	s->nohz = 0;
	s->ttwu_pending = !draw(t, 16);
	for (i = 0; i < s->domains; i++) {
		s->domain[i].cost = cost[draw(t, ARRAY_SIZE(cost) - (s->avg_idle > 900000))];
		s->domain[i].decay = jiffies - (draw(t, 2) ? 3 * HZ : 0);
		if (!draw(t, 8))
			s->domain[i].flags &= ~SD_BALANCE_NEWIDLE;
	}
	for (i = 0; i < MAX_DOMAINS; i++) {
		t->script[i].rounds = draw(t, 3) * 2000;
		t->script[i].pulled = !draw(t, 5) * (1 + draw(t, 2));
		t->script[i].goes_on = draw(t, 5);
	}
	t->overloaded = draw(t, 8);
	t->others = !draw(t, 6);
}

/*
 * For all CPUs, so others may have seen to it before the twin asks.  Not put
 * back: the worst that comes of it is an update too many.
 */
static void make_blocked_load_due(void)
{
	WRITE_ONCE(*(unsigned long *)newidle_running.next_blocked, jiffies - 1);
	WRITE_ONCE(*(int *)newidle_running.has_blocked, 1);
}

static bool is_blocked_load_due(void)
{
	return READ_ONCE(*newidle_running.has_blocked) &&
	       time_after_eq(jiffies, READ_ONCE(*newidle_running.next_blocked));
}

static void run_one(struct twin *t, struct run *run, struct rq *rq,
		    struct rq_flags *rf, const struct state *in, bool ours)
{
	int cpu = AT(int, rq, RQ_CPU);

	give(in, rq, rf);
	set_overloaded(rq, t->overloaded);
	make_blocked_load_due();
	memset(run, 0, sizeof(*run));
	run->clock = AT(u64, rq, RQ_CLOCK);
	run->begin = sched_clock_cpu(cpu);
	t->run = run;
	run->result = ours ? newidle_swap(rq, rf) : static_call(newidle_own)(rq, rf);
	t->run = NULL;
	run->end = sched_clock_cpu(cpu);
	run->undisturbed = is_blocked_load_due() && is_overloaded(rq) == t->overloaded;
	take(&run->out, rq, rf);
}

/* What must stay as it is for the two to be comparable. */
static void surroundings(struct surroundings *s, struct rq *rq)
{
	memset(s, 0, sizeof(*s));
	s->jiffies = jiffies;
	s->nr_running = AT(unsigned int, rq, RQ_NR_RUNNING);
	s->fair = fair_tasks(rq);
	s->rd = AT(void *, rq, RQ_RD);
	s->sd = newidle_cpu_domains(AT(int, rq, RQ_CPU));
}

static void remember(int cpu, unsigned int what, const struct state *in,
		     const struct run *own, const struct run *ours)
{
	int n = atomic_inc_return(&different) - 1;

	if (n >= ARRAY_SIZE(first))
		return;
	first[n].cpu = cpu;
	first[n].what = what;
	first[n].in = *in;
	first[n].own = *own;
	first[n].ours = *ours;
}

static void compare(struct twin *t, int cpu, const struct state *in)
{
	const struct rules rules = {
		.bumps = newidle_settings.cost_bump,
		.stops_when_busy = newidle_dialect.stops_when_busy,
		.busy = t->before.nr_running,
		.cap = *newidle_running.migration_cost + 200,
		.now = t->before.jiffies,
	};
	unsigned int what = twin_differences(in, t->script, &t->own, &t->ours, &rules);

	if (what == NEAR_BUDGET) {
		atomic_inc(&discarded[DISCARD_BUDGET]);
		return;
	}
	atomic_inc(&compared);
	atomic_inc(&seen[twin_kind(in, t->script, &t->own, t->overloaded, &rules)]);
	if (t->own.result < 0)
		atomic_inc(&seen[KIND_OTHERS]);
	if (t->own.out.nohz)
		atomic_inc(&seen[KIND_NOHZ]);
	if (what)
		remember(cpu, what, in, &t->own, &t->ours);
}

static int twin_newidle(struct rq *rq, struct rq_flags *rf)
{
	int cpu = AT(int, rq, RQ_CPU);
	struct twin *t = per_cpu_ptr(&twins, cpu);
	struct state found, *in = &t->in;
	struct surroundings after;
	bool first_ours;
	bool overloaded;

	if (!READ_ONCE(newidle_live) || !cpu_active(cpu) ||
	    READ_ONCE(newidle_settings.policy) != NEWIDLE_ALWAYS || t->run ||
	    t->count++ % 2 || atomic_cmpxchg(&busy, 0, 1))
		return newidle_swap(rq, rf);
	if (!t->random)
		t->random = cpu + 1;

	rcu_read_lock();
	take(&found, rq, rf);
	*in = found;
	make_up(t, in);
	overloaded = is_overloaded(rq);
	AT(unsigned int, rq, RQ_NR_RUNNING) += t->others;

	surroundings(&t->before, rq);
	first_ours = draw(t, 2);
	run_one(t, first_ours ? &t->ours : &t->own, rq, rf, in, first_ours);
	run_one(t, first_ours ? &t->own : &t->ours, rq, rf, in, !first_ours);
	surroundings(&after, rq);

	AT(unsigned int, rq, RQ_NR_RUNNING) -= t->others;
	set_overloaded(rq, overloaded);
	give(&found, rq, rf);

	if (after.jiffies != t->before.jiffies)
		atomic_inc(&discarded[DISCARD_TICK]);
	else if (memcmp(&after, &t->before, sizeof(after)))
		atomic_inc(&discarded[DISCARD_TASKS]);
	else if (!t->own.undisturbed || !t->ours.undisturbed)
		atomic_inc(&discarded[DISCARD_OTHERS]);
	else
		compare(t, cpu, in);
	rcu_read_unlock();
	atomic_set(&busy, 0);
	return newidle_swap(rq, rf);
}

static int report(char *buf, const struct kernel_param *kp)
{
	int n = 0, i;

	n += scnprintf(buf + n, PAGE_SIZE - n, "compared %d\ndifferent %d\n",
		       atomic_read(&compared), atomic_read(&different));
	for (i = 0; i < NR_KINDS; i++)
		n += scnprintf(buf + n, PAGE_SIZE - n, "kind %s %d\n",
			       twin_kinds[i], atomic_read(&seen[i]));
	for (i = 0; i < NR_DISCARDS; i++)
		n += scnprintf(buf + n, PAGE_SIZE - n, "discarded %s %d\n",
			       twin_discards[i], atomic_read(&discarded[i]));
	for (i = 0; i < min_t(int, atomic_read(&different), ARRAY_SIZE(first)); i++)
		n += twin_show(buf + n, PAGE_SIZE - n, &first[i]);
	return n;
}

/* Reading shows what was found, writing anything begins anew. */
static int forget(const char *val, const struct kernel_param *kp)
{
	int i;

	for (i = 0; i < NR_KINDS; i++)
		atomic_set(&seen[i], 0);
	for (i = 0; i < NR_DISCARDS; i++)
		atomic_set(&discarded[i], 0);
	atomic_set(&compared, 0);
	atomic_set(&different, 0);
	return 0;
}

static const struct kernel_param_ops report_ops = { .get = report, .set = forget };
module_param_cb(twin_report, &report_ops, NULL, 0600);

int newidle_swap_open(struct newidle_engine *engine, char *why, size_t len)
{
	int err = newidle_swap_open_steps(engine, why, len);

	if (err)
		return err;
	engine->hooks[0].func = twin_newidle;
	count_hook = engine->hooks[1].func;
	engine->hooks[1].func = scripted_balancer;
	return 0;
}
