// SPDX-License-Identifier: GPL-2.0-only
/*
 * From trace events of one CPU to passes: see follow.h.
 *
 * A pass ends with a pull, or when the CPU goes idle, or when the next begins:
 * then a task had come by itself.  How long it idles is known when it stops, so
 * a pass is written late.
 */
#include <string.h>
#include "follow.h"

static uint32_t cut_off(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Its last attempt is completed by the caller. */
static void write_pass(struct follower *f)
{
	if (f->count)
		writer_pass(f->w, f->cpu, f->pass, f->count);
	f->count = 0;
	f->is_idle = false;
}

static void end_pass(struct follower *f, uint64_t idle)
{
	struct event *last;

	if (!f->count)
		return;
	last = &f->pass[f->count - 1];
	last->flags |= EVENT_IDLED;
	last->idle = cut_off(idle);
	write_pass(f);
}

/**
 * follow_decide() - newidle:newidle_decide
 * @f: the CPU
 * @depth: of the domain
 * @avg_idle: how long this CPU idles on average, ns
 * @over_budget: the walk ended, for its cost
 */
void follow_decide(struct follower *f, uint32_t depth, uint64_t avg_idle,
		   bool over_budget)
{
	if (depth < RECORDING_DEPTHS)
		f->avg_idle[depth] = cut_off(avg_idle);
	f->budget += over_budget;
}

/**
 * follow_done() - newidle:newidle_done
 * @f: the CPU
 * @d: what came of an attempt
 */
void follow_done(struct follower *f, const struct done *d)
{
	struct event *e;

	/* With policy always there is no second look; then somebody changed it. */
	if (d->retry || d->depth >= RECORDING_DEPTHS)
		return;
	if (f->is_idle)
		follow_gap(f);
	else if (f->count && d->depth <= f->pass[f->count - 1].depth)
		end_pass(f, 0);
	e = &f->pass[f->count];
	*e = (struct event){
		.time = d->time,
		.cost = cut_off(d->cost),
		.avg_idle = f->avg_idle[d->depth],
		.depth = (uint8_t)d->depth,
		.flags = (uint8_t)((f->count ? 0 : EVENT_FIRST) |
				   (d->pulled ? EVENT_PULLED : 0)),
	};
	f->count++;
	f->pid = d->pid;
	if (d->pulled)
		write_pass(f);
}

/**
 * follow_switch() - sched:sched_switch from or to the idle task
 * @f: the CPU
 * @time: ns
 * @from: pid of the task before, 0 is the idle task
 * @to: and of the task behind
 */
void follow_switch(struct follower *f, uint64_t time, uint32_t from,
		   uint32_t to)
{
	if (!from) {
		if (f->is_idle)
			end_pass(f, time > f->since ? time - f->since : 0);
		return;
	}
	if (to)
		return;
	f->idled++;
	/* Is it that pass that has failed, or one long ago behind a task's visit? */
	if (f->count && f->pid == from && !f->is_idle) {
		f->is_idle = true;
		f->since = time;
		return;
	}
	f->unasked++;
	if (f->is_idle)
		follow_gap(f);
	else
		end_pass(f, 0);
}

/**
 * follow_gap() - events were lost: what the last pass came to is not known
 * @f: the CPU
 */
void follow_gap(struct follower *f)
{
	write_pass(f);
}

/**
 * follow_name() - note the name of a level
 * @f: the CPU
 * @depth: its depth
 * @name: may end early with a 0
 * @size: its length at most
 */
void follow_name(struct follower *f, uint32_t depth, const uint8_t *name,
		 size_t size)
{
	size_t i;

	if (depth >= RECORDING_DEPTHS)
		return;
	memset(f->name[depth], 0, sizeof(f->name[depth]));
	for (i = 0; i < size && i < RECORDING_NAME && name[i]; i++)
		f->name[depth][i] = name[i] > ' ' && name[i] < 0x7f ? (char)name[i] : '?';
}
