/* SPDX-License-Identifier: GPL-2.0-only */
/* What twin.c records of each event, and how two records are compared. */
#ifndef TWIN_H
#define TWIN_H

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched/topology.h>

#define MAX_DOMAINS 4

struct answer {
	int rounds, pulled;
	bool goes_on;
};

struct call {
	struct sched_domain *sd;
	u64 entry, exit;
};

struct domain_state {
	struct sched_domain *sd;
	u64 cost;
	unsigned long decay;
	int flags;
};

struct state {
	unsigned long next_balance, misfit;
	u64 idle_stamp, avg_idle, max_cost;
	unsigned int clock_flags, rf_flags, ttwu_pending, nohz;
	int domains;
	struct domain_state domain[MAX_DOMAINS];
};

/* One twin's run: what it returned, whom it called, what it left. */
struct run {
	int result, calls;
	bool undisturbed;
	u64 begin, end, clock;
	struct call call[MAX_DOMAINS];
	struct state out;
};

struct surroundings {
	unsigned long jiffies;
	unsigned int nr_running, fair;
	void *rd, *sd;
};

struct twin {
	u64 random;
	unsigned int count;
	bool overloaded, others;
	struct answer script[MAX_DOMAINS];
	struct run *run, own, ours;
	struct state in;
	struct surroundings before;
};

struct difference {
	int cpu;
	unsigned int what;
	struct state in;
	struct run own, ours;
};

/* The kernel's rules, and whether there were tasks on this CPU. */
struct rules {
	bool bumps, stops_when_busy, busy;
	u64 cap;
	unsigned long now;
};

enum kind {
	KIND_COMING,
	KIND_CALM,
	KIND_POOR,
	KIND_PULLED,
	KIND_STOPPED,
	KIND_BUDGET,
	KIND_TOP,
	KIND_OTHERS,
	KIND_NOHZ,
	NR_KINDS
};

static const char *const twin_kinds[NR_KINDS] = {
	[KIND_COMING]  = "a-task-is-coming",
	[KIND_CALM]    = "not-overloaded",
	[KIND_POOR]    = "no-time-at-all",
	[KIND_PULLED]  = "pulled",
	[KIND_STOPPED] = "stopped",
	[KIND_BUDGET]  = "budget-used-up",
	[KIND_TOP]     = "all-domains",
	[KIND_OTHERS]  = "other-tasks",
	[KIND_NOHZ]    = "blocked-load",
};

enum discard {
	DISCARD_TICK,
	DISCARD_TASKS,
	DISCARD_BUDGET,
	DISCARD_OTHERS,
	NR_DISCARDS
};

static const char *const twin_discards[NR_DISCARDS] = {
	[DISCARD_TICK]   = "tick",
	[DISCARD_TASKS]  = "tasks-came",
	[DISCARD_BUDGET] = "near-the-budget",
	[DISCARD_OTHERS] = "others-interfered",
};

#define RESULT		BIT(0)
#define NEXT_BALANCE	BIT(1)
#define IDLE_STAMP	BIT(2)
#define MISFIT		BIT(3)
#define NOHZ		BIT(4)
#define CLOCK_FLAGS	BIT(5)
#define CALLS		BIT(6)
#define OWN_COST	BIT(7)
#define OUR_COST	BIT(8)
#define OWN_MAX_COST	BIT(9)
#define OUR_MAX_COST	BIT(10)
#define NEAR_BUDGET	BIT(11)

/* Shortest and longest time that the k-th call may have been charged. */
static inline u64 twin_least(const struct run *r, int k)
{
	return r->call[k].exit - r->call[k].entry;
}

static inline u64 twin_most(const struct run *r, int k)
{
	return (k + 1 < r->calls ? r->call[k + 1].entry : r->end) -
	       (k ? r->call[k - 1].exit : r->begin);
}

static inline const struct domain_state *twin_find(const struct state *s,
						   struct sched_domain *sd)
{
	int i;

	for (i = 0; i < s->domains; i++)
		if (s->domain[i].sd == sd)
			return &s->domain[i];
	return NULL;
}

/* May a cost between low and high have made this of it? */
static inline bool twin_cost_fits(const struct domain_state *was,
				  const struct domain_state *is, u64 low,
				  u64 high, const struct rules *rule)
{
	bool old = time_after(rule->now, was->decay + HZ);

	if (is->cost > was->cost || (is->cost == rule->cap && is->decay == rule->now &&
				     rule->bumps && high > was->cost))
		return is->decay == rule->now &&
		       ((is->cost >= low && is->cost <= high) ||
			(rule->bumps && is->cost == rule->cap && high >= rule->cap));
	if (low > was->cost)
		return false;
	if (old)
		return is->cost == was->cost * 253 / 256 && is->decay == rule->now;
	return is->cost == was->cost && is->decay == was->decay;
}

static inline bool twin_costs_fit(const struct state *in, const struct answer *script,
				  const struct run *r, const struct rules *rule)
{
	int i, k;

	for (i = 0; i < in->domains; i++) {
		const struct domain_state *was = &in->domain[i];
		u64 low, high;

		for (k = 0; k < r->calls && r->call[k].sd != was->sd; k++)
			;
		if (k == r->calls) {
			if (r->out.domain[i].cost != was->cost ||
			    r->out.domain[i].decay != was->decay)
				return false;
			continue;
		}
		low = twin_least(r, k);
		high = twin_most(r, k);
		if (rule->bumps && !script[k].pulled)
			low = high = 3 * was->cost / 2;
		if (!twin_cost_fits(was, &r->out.domain[i], low, high, rule))
			return false;
	}
	return true;
}

static inline bool twin_max_cost_fits(const struct state *in, const struct run *r)
{
	u64 low = 0;
	int k;

	for (k = 0; k < r->calls; k++)
		low += twin_least(r, k);
	if (r->out.max_cost == in->max_cost)
		return low <= in->max_cost;
	return r->out.max_cost > in->max_cost && r->out.max_cost >= low &&
	       r->out.max_cost <= r->end - r->begin && r->calls;
}

/* Was it a matter of chance whether the next domain was within the budget? */
static inline bool twin_is_near(const struct state *in, const struct run *r,
				const struct run *other)
{
	u64 least = 0, most;
	int k;

	for (k = 0; k < r->calls; k++)
		least += twin_least(r, k);
	/* All that it may have taken up to the call that the other left out. */
	most = max(r->end - r->begin, other->end - other->begin);
	for (k = 0; k < in->domains; k++)
		if (in->avg_idle >= in->domain[k].cost &&
		    in->avg_idle - in->domain[k].cost <= most)
			return true;
	return false;
}

static inline u64 twin_stamp(const struct run *r)
{
	return r->out.idle_stamp == r->clock ? 1 : r->out.idle_stamp;
}

/* Does the walk end after the k-th call, whatever the budget is? */
static inline bool twin_ends(const struct answer *script, int k, const struct rules *rule)
{
	return script[k].pulled ||
	       (rule->stops_when_busy ? rule->busy : !script[k].goes_on);
}

static inline unsigned int twin_differences(const struct state *in,
					    const struct answer *script,
					    const struct run *own,
					    const struct run *ours,
					    const struct rules *rule)
{
	unsigned int what = 0;
	int k, common = min(own->calls, ours->calls);

	for (k = 0; k < common; k++)
		if (own->call[k].sd != ours->call[k].sd)
			what |= CALLS;
	if (own->calls != ours->calls) {
		bool open = common && !twin_ends(script, common - 1, rule);

		if (open && twin_is_near(in, own, ours))
			return NEAR_BUDGET;
		what |= CALLS;
	}
	if (own->result != ours->result)
		what |= RESULT;
	if (own->out.next_balance != ours->out.next_balance) {
		/* The domain at which the budget ends is noted, too. */
		if (own->calls == ours->calls && common &&
		    twin_is_near(in, own, ours) &&
		    own->end - own->begin > in->avg_idle)
			return NEAR_BUDGET;
		what |= NEXT_BALANCE;
	}
	if (twin_stamp(own) != twin_stamp(ours))
		what |= IDLE_STAMP;
	if (own->out.misfit != ours->out.misfit)
		what |= MISFIT;
	if (own->out.nohz != ours->out.nohz)
		what |= NOHZ;
	if (own->out.clock_flags != ours->out.clock_flags ||
	    own->out.rf_flags != ours->out.rf_flags)
		what |= CLOCK_FLAGS;
	if (!twin_costs_fit(in, script, own, rule))
		what |= OWN_COST;
	if (!twin_costs_fit(in, script, ours, rule))
		what |= OUR_COST;
	if (!twin_max_cost_fits(in, own))
		what |= OWN_MAX_COST;
	if (!twin_max_cost_fits(in, ours))
		what |= OUR_MAX_COST;
	return what;
}

/* Which way through the function it was. */
static inline enum kind twin_kind(const struct state *in, const struct answer *script,
				  const struct run *r, bool overloaded,
				  const struct rules *rule)
{
	int possible = 0, i;

	if (in->ttwu_pending)
		return KIND_COMING;
	if (!overloaded)
		return KIND_CALM;
	if (!in->domains || in->avg_idle < in->domain[0].cost)
		return KIND_POOR;
	if (r->calls && script[r->calls - 1].pulled)
		return KIND_PULLED;
	if (r->calls && twin_ends(script, r->calls - 1, rule))
		return KIND_STOPPED;
	for (i = 0; i < in->domains; i++)
		possible += !!(in->domain[i].flags & SD_BALANCE_NEWIDLE);
	return r->calls < possible ? KIND_BUDGET : KIND_TOP;
}

static inline int twin_show_run(char *buf, size_t len, const struct run *r)
{
	int n = scnprintf(buf, len, " [result %d calls %d next %lu stamp %llu max %llu nohz %u flags %u/%u costs",
			  r->result, r->calls, r->out.next_balance, twin_stamp(r),
			  r->out.max_cost, r->out.nohz, r->out.clock_flags,
			  r->out.rf_flags);
	int i;

	for (i = 0; i < r->out.domains; i++)
		n += scnprintf(buf + n, len - n, " %llu", r->out.domain[i].cost);
	return n + scnprintf(buf + n, len - n, " in %llu ns]", r->end - r->begin);
}

static inline int twin_show(char *buf, size_t len, const struct difference *d)
{
	int n = scnprintf(buf, len, "difference %#x on cpu %d, idle %llu next %lu max %llu costs",
			  d->what, d->cpu, d->in.avg_idle, d->in.next_balance,
			  d->in.max_cost);
	int i;

	for (i = 0; i < d->in.domains; i++)
		n += scnprintf(buf + n, len - n, " %llu", d->in.domain[i].cost);
	n += scnprintf(buf + n, len - n, " kernel");
	n += twin_show_run(buf + n, len - n, &d->own);
	n += scnprintf(buf + n, len - n, " ours");
	n += twin_show_run(buf + n, len - n, &d->ours);
	return n + scnprintf(buf + n, len - n, "\n");
}

#endif /* TWIN_H */
