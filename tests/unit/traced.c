// SPDX-License-Identifier: GPL-2.0-only
/* What the tracepoints say, kept to be compared with the counters. */
#include "world.h"
#include "trace.h"

static struct newidle_counters *traced(int cpu, const struct newidle_domain *d)
{
	const struct newidle_cpu *c = per_cpu_ptr(world->cpus, cpu);

	assert_int_equal(c->cpu, cpu);
	assert_in_range(d - c->level, 0, NEWIDLE_LEVELS - 1);
	return &world->traced[cpu][d - c->level];
}

void world_newidle_decide(int cpu, const struct newidle_domain *d, bool try,
			  unsigned int reason, u64 avg_idle)
{
	struct newidle_counters *n = traced(cpu, d);

	if (newidle_has(NEWIDLE_RQ_AVG_IDLE))
		assert_int_equal(avg_idle, per_cpu_ptr(world->rqs, cpu)->avg_idle);
	switch (reason) {
	case NEWIDLE_BY_POLICY:
		n->calls++;
		n->attempts += try;
		n->skips += !try;
		return;
	case NEWIDLE_BY_BUDGET:
		assert_false(try);
		n->over_budget++;
		return;
	case NEWIDLE_BY_LIMIT:
		assert_false(try);
		n->over_limit++;
		return;
	}
	fail_msg("a reason unheard of: %u", reason);
}

void world_newidle_done(int cpu, const struct newidle_domain *d, bool pulled,
			u64 cost_ns, bool retry)
{
	struct newidle_counters *n = traced(cpu, d);

	n->cost_ns += cost_ns;
	if (retry) {
		n->retries++;
		n->retry_pulls += pulled;
	} else {
		n->pulls += pulled;
	}
}

/* Fails the test if the tracepoints said anything else than the counters. */
void traced_as_counted(const struct world *w)
{
	int cpu, level;

	for (cpu = 0; cpu < CPUS; cpu++)
		for (level = 0; level < NEWIDLE_LEVELS; level++)
			assert_memory_equal(&w->traced[cpu][level],
					    &per_cpu_ptr(w->cpus, cpu)->level[level].count,
					    sizeof(struct newidle_counters));
}
