// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is assumed of a recording: see play.h.
 *
 * A pass that pulled tells nothing of the time that its CPU would have idled
 * otherwise.  It is taken for the mean of the passes that failed on that CPU in
 * the same window; where none did, of all that failed there; where none ever did,
 * for the kernel's average.
 */
#include <string.h>
#include "play.h"

/* A sum of times and how many they are. */
struct mean {
	uint64_t sum, count;
};

static uint32_t mean_of(const struct mean *m)
{
	return (uint32_t)(m->sum / m->count);
}

static bool is_last(const struct cpu_events *cpu, size_t i)
{
	return i + 1 == cpu->count || cpu->event[i + 1].flags & EVENT_FIRST;
}

/* What an attempt is taken to have cost. */
static void reckon(struct model *m, struct event *e)
{
	uint64_t cost = e->cost;

	if (cost > m->a->cost_limit) {
		m->cut++;
		m->cut_ns += cost - m->a->cost_limit;
		cost = m->a->cost_limit;
	}
	cost = cost * m->a->cost_pct / 100;
	e->cost = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

static void cut_off(struct model *m, struct cpu_events *cpu, struct mean *all)
{
	size_t i;

	for (i = 0; i < cpu->count; i++) {
		struct event *e = &cpu->event[i];

		reckon(m, e);
		if (e->idle > m->a->longest)
			e->idle = m->a->longest;
		if (e->flags & EVENT_PULLED || !(e->flags & EVENT_IDLED))
			continue;
		all->sum += e->idle;
		all->count++;
	}
}

/* The passes from event @begin to before @end. */
static void estimate(struct model *m, struct cpu_events *cpu, size_t begin,
		     size_t end, const struct mean *all)
{
	const uint32_t longest = m->a->longest;
	struct mean here = { 0 };
	size_t i;

	for (i = begin; i < end; i++) {
		const struct event *e = &cpu->event[i];

		if (e->flags & EVENT_PULLED || !(e->flags & EVENT_IDLED))
			continue;
		here.sum += e->idle;
		here.count++;
	}
	for (i = begin; i < end; i++) {
		struct event *e = &cpu->event[i];

		if (!(e->flags & EVENT_PULLED))
			continue;
		m->pulled++;
		if (here.count) {
			e->idle = mean_of(&here);
			continue;
		}
		m->guessed++;
		if (all->count)
			e->idle = mean_of(all);
		else
			e->idle = e->avg_idle < longest ? e->avg_idle : longest;
	}
}

static void prepare_cpu(struct model *m, struct cpu_events *cpu)
{
	struct mean all = { 0 };
	uint32_t passes = 0;
	size_t i, begin = 0;

	cut_off(m, cpu, &all);
	for (i = 0; i < cpu->count; i++) {
		if (!is_last(cpu, i))
			continue;
		m->passes++;
		if (++passes < m->a->window && i + 1 < cpu->count)
			continue;
		estimate(m, cpu, begin, i + 1, &all);
		begin = i + 1;
		passes = 0;
	}
}

/* Eight sizes for each power of two. */
#define SIZES (32 * 8)

static unsigned int size_of(uint32_t cost)
{
	const unsigned int power = cost ? 31U - (unsigned int)__builtin_clz(cost) : 0;

	return power < 3 ? cost : power * 8 + ((cost >> (power - 3)) & 7);
}

/* Costs of a few attempts may outweigh all others. */
static uint64_t longest_half(const struct recording *r)
{
	struct mean size[SIZES] = { { 0 } };
	uint64_t whole = 0, sum = 0, count = 0;
	unsigned int s;
	size_t c, i;

	for (c = 0; c < r->nr_cpus; c++) {
		for (i = 0; i < r->cpu[c].count; i++) {
			const uint32_t cost = r->cpu[c].event[i].cost;

			size[size_of(cost)].sum += cost;
			size[size_of(cost)].count++;
			whole += cost;
		}
	}
	for (s = SIZES; s-- && 2 * (sum + size[s].sum) <= whole;) {
		sum += size[s].sum;
		count += size[s].count;
	}
	/* Of the size that comes next, as many as are missing. */
	if (s < SIZES && size[s].sum)
		count += (whole - 2 * sum) / 2 / mean_of(&size[s]);
	return count;
}

/**
 * model_prepare() - make a recording ready to be played
 * @m: filled
 * @r: the recording, which is changed
 * @a: what is assumed of it; kept, not copied
 */
void model_prepare(struct model *m, struct recording *r,
		   const struct assumed *a)
{
	size_t i;

	*m = (struct model){
		.r = r,
		.a = a,
		.stretch = (r->end - r->begin) / PLAY_STRETCHES + 1,
	};
	for (i = 0; i < r->nr_cpus; i++)
		prepare_cpu(m, &r->cpu[i]);
	m->half = longest_half(r);
}

/**
 * level_width() - how wide a domain is, by its level's name
 * @name: of x86 kernels from 6.1 on
 *
 * Return: one of enum newidle_level.
 */
uint32_t level_width(const char *name)
{
	static const struct {
		const char *name;
		uint32_t width;
	} known[] = {
		{ "SMT", NEWIDLE_SMT },
		{ "CLS", NEWIDLE_LLC },
		{ "CLUSTER", NEWIDLE_LLC },
		{ "MC", NEWIDLE_LLC },
		{ "DIE", NEWIDLE_NODE },
		{ "PKG", NEWIDLE_NODE },
		{ "NODE", NEWIDLE_NODE },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].width;
	return NEWIDLE_ALL;
}
