// SPDX-License-Identifier: GPL-2.0-only
/* Events for make-believe machines: made up, and recorded in a real kernel. */
#include "world.h"

/* CPUs with 4, 1, 3 and 2 domains, of levels as chains without gaps have not. */
void stream_machine(struct world *w)
{
	static const int levels[][DEPTHS] = {
		{ 0, 1, 2, 3 },
		{ 1, -1 },
		{ 0, 2, 5, -1 },
		{ 0, 15, -1 },
	};
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		world_chain(w, cpu, levels[cpu % 4]);
	/* A domain that new-idle balance leaves out. */
	w->sd[2][1].flags = 2;
	/* Intervals at both ends. */
	w->sd[0][0].balance_interval = 0;
	w->sd[0][3].balance_interval = 2000;
}

static bool one_in(u64 *rnd, u32 n)
{
	return !test_below(rnd, n);
}

static void make_answer(u64 *rnd, struct answer *a)
{
	*a = (struct answer){
		.fair  = one_in(rnd, 40),
		.other = one_in(rnd, 40),
		.ttwu  = one_in(rnd, 60),
		.took  = 1 + test_below(rnd, one_in(rnd, 300) ? 1000000 : 20000),
	};
	if (one_in(rnd, 8)) {
		a->pulled = 1 + (int)test_below(rnd, 3);
		if (!one_in(rnd, 10))
			a->here = (u32)a->pulled;
	} else {
		a->stop = one_in(rnd, 8);
	}
}

static u64 how_long(u64 *rnd)
{
	switch (test_below(rnd, 2000)) {
	case 0:
		return 20 * SECOND;
	case 1 ... 10:
		return SECOND + test_below(rnd, 100000000);
	case 11 ... 200:
		return test_below(rnd, 10000000);
	default:
		return test_below(rnd, 500000);
	}
}

void stream_event(u64 *rnd, struct event *ev)
{
	static const u64 idle[] = { 0, 3000, 20000, 60000, 499999, 500000, 1000000, 2000000 };
	int i;

	*ev = (struct event){
		.cpu                   = (int)test_below(rnd, CPUS),
		.since                 = how_long(rnd),
		.avg_idle              = idle[test_below(rnd, 8)],
		.blocked               = test_below(rnd, 3000),
		.others                = one_in(rnd, 50),
		.fair_meanwhile        = one_in(rnd, 50),
		.clock_flags           = test_below(rnd, 8),
		.clock_flags_meanwhile = test_below(rnd, 4),
		.overloaded            = !one_in(rnd, 10),
		.inactive              = one_in(rnd, 50),
		.ttwu                  = one_in(rnd, 50),
		.asym                  = one_in(rnd, 2),
		.scx                   = one_in(rnd, 2),
		.core                  = one_in(rnd, 4),
		.house_overridden      = one_in(rnd, 2),
		.not_housekeeping      = one_in(rnd, 2),
		.no_domain             = one_in(rnd, 50),
		.has_blocked           = !one_in(rnd, 4),
		.forgets               = one_in(rnd, 20),
		.next_balance          = (long)test_below(rnd, 800) - 100,
		.next_blocked          = (long)test_below(rnd, 5) - 2,
		.balanced              = test_below(rnd, 16),
	};
	if (one_in(rnd, 4))
		ev->avg_idle = test_below(rnd, 100000);
	for (i = 0; i < DEPTHS; i++)
		make_answer(rnd, &ev->answer[i]);
}

/* Levels of the machine that was recorded: it has no clusters. */
const int recorded_levels[DEPTHS] = { 0, 2, 3, -1 };

static int depth_of(int level)
{
	int depth = 0;

	while (depth < DEPTHS && recorded_levels[depth] != level)
		depth++;
	assert_true(depth < DEPTHS);
	return depth;
}

/* One call as events.txt has it, added to the pass; false at its end. */
static bool read_call(FILE *f, struct event *ev, struct answer *last)
{
	int level, pulled, go_on, depth;
	unsigned int took;

	if (fscanf(f, ":%d,%d,%d,%u", &level, &pulled, &go_on, &took) != 4)
		return false;
	depth = depth_of(level);
	ev->answer[depth] = (struct answer){
		.pulled = pulled,
		.here   = (u32)pulled,
		.stop   = !go_on,
		.took   = took,
	};
	last[depth] = ev->answer[depth];
	return true;
}

/*
 * The recorded stream.  What was not asked of a domain, because an earlier one
 * had pulled or the kernel gave up, is answered as it was the last time.
 *
 * Returns the number of events; free *@events.
 */
u32 stream_recorded(struct event **events)
{
	struct answer last[CPUS][DEPTHS] = { 0 };
	FILE *f = fopen(EVENTS, "r");
	struct event *ev = NULL;
	unsigned long long since;
	u32 n = 0;
	int cpu;

	assert_non_null(f);
	/* Comments are at its head alone. */
	while (fscanf(f, " #%*[^\n]") == 0 && fscanf(f, "%llu,%d", &since, &cpu) != 2)
		;
	do {
		assert_in_range(cpu, 0, CPUS - 1);
		ev = reallocarray(ev, n + 1, sizeof(*ev));
		assert_non_null(ev);
		ev[n] = (struct event){
			.cpu        = cpu,
			.since      = since,
			.avg_idle   = SECOND,
			.overloaded = true,
		};
		memcpy(ev[n].answer, last[cpu], sizeof(last[cpu]));
		while (read_call(f, &ev[n], last[cpu]))
			;
		n++;
	} while (fscanf(f, "%llu,%d", &since, &cpu) == 2);
	assert_true(feof(f));
	fclose(f);
	*events = ev;
	return n;
}
