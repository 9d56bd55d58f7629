// SPDX-License-Identifier: GPL-2.0-only
/*
 * Play a recording to a policy: see play.h.
 *
 * A policy that does not try where the recording pulled goes on to wider
 * domains, of which this pass tells nothing.  They are taken to do as they did
 * in their last attempts, in turn: the same for every policy, so that
 * comparisons are not of luck.
 */
#include <stdlib.h>
#include <string.h>
#include "play.h"

#define SECOND		1000000000ULL

/* Attempts that stand in for ones that were not made. */
#define STAND_INS	16

/* Levels that the oracle chooses one by one; wider ones it takes together. */
#define CHOICES		6

/**
 * struct pass - one walk over a CPU's domains
 * @at: the attempt at each depth; NULL: none was made, and none stands in
 * @last: the last one recorded
 * @won: what a pull wins, ns
 */
struct pass {
	const struct event *at[RECORDING_DEPTHS];
	const struct event *last;
	uint32_t won;
};

/**
 * struct walker - goes from pass to pass of one CPU
 * @cpu: the CPU
 * @next: its next event
 * @recent: the latest attempts at each depth
 * @seen: how many there have been
 * @turn: which stands in next
 */
struct walker {
	const struct cpu_events *cpu;
	size_t next;
	const struct event *recent[RECORDING_DEPTHS][STAND_INS];
	uint64_t seen[RECORDING_DEPTHS];
	unsigned int turn[RECORDING_DEPTHS];
};

static const struct event *stand_in(struct walker *w, unsigned int depth)
{
	const uint64_t seen = w->seen[depth];
	const unsigned int have = seen < STAND_INS ? (unsigned int)seen : STAND_INS;

	return have ? w->recent[depth][w->turn[depth]++ % have] : NULL;
}

static bool next_pass(struct walker *w, struct pass *p)
{
	const struct cpu_events *cpu = w->cpu;
	const struct event *e = &cpu->event[w->next];
	unsigned int d;

	if (w->next == cpu->count)
		return false;
	for (d = 0; d < cpu->depths; d++)
		p->at[d] = NULL;
	do {
		p->at[e->depth] = e;
		w->recent[e->depth][w->seen[e->depth]++ % STAND_INS] = e;
		p->last = e++;
		w->next++;
	} while (w->next < cpu->count && !(e->flags & EVENT_FIRST));
	if (!(p->last->flags & EVENT_PULLED))
		return true;
	p->won = p->last->idle;
	for (d = p->last->depth + 1U; d < cpu->depths; d++)
		p->at[d] = stand_in(w, d);
	return true;
}

/* A domain's highest cost, as the kernel keeps it. */
struct highest {
	uint64_t cost, when;
};

static void book_highest(struct highest *h, uint64_t cost, uint64_t now)
{
	if (cost > h->cost) {
		h->cost = cost;
		h->when = now;
	} else if (now > h->when + SECOND) {
		h->cost = h->cost * 253 / 256;
		h->when = now;
	}
}

/**
 * struct player - a policy on one CPU
 * @w: where it is
 * @set: the policy; NULL: an oracle
 * @masks: the oracle's choice of depths for each window
 * @state: what it remembers of each depth
 * @highest: the kernel's idea of their costs
 * @rng: its dice
 * @figures: of this CPU, by depth
 * @width: how wide the domain at each depth is
 * @net: idle time won less time spent up to now, ns
 */
struct player {
	struct walker w;
	const struct newidle_settings *set;
	const uint64_t *masks;
	struct newidle_state state[RECORDING_DEPTHS];
	struct highest highest[RECORDING_DEPTHS];
	struct newidle_rng rng;
	struct figures *figures;
	uint32_t width[RECORDING_DEPTHS];
	int64_t net;
};

static bool try(struct player *y, const struct pass *p, unsigned int depth,
		u32 weight, bool retry)
{
	const struct event *e = p->at[depth];
	const struct newidle_outcome o = {
		.tried = true,
		.pulled = e->flags & EVENT_PULLED,
		.weight = weight,
		.cost = e->cost,
		.idle = p->last->avg_idle,
		.now = p->last->time,
	};
	struct figures *f = &y->figures[depth];

	if (y->set)
		newidle_account(&y->state[depth], y->set, &o);
	book_highest(&y->highest[depth], e->cost, o.now);
	if (retry) {
		f->retries++;
		f->retry_pulls += o.pulled;
	} else {
		f->attempts++;
		f->pulls += o.pulled;
	}
	f->cost += e->cost;
	y->net -= e->cost;
	if (!o.pulled)
		return false;
	f->won += p->won;
	y->net += p->won;
	return true;
}

static void second_look(struct player *y, const struct pass *p,
			uint64_t skipped, uint64_t spent)
{
	const uint64_t left = newidle_retry_time(y->set, p->last->avg_idle, spent);
	unsigned int d;

	for (d = 0; left && d < y->w.cpu->depths; d++) {
		if (!(skipped >> d & 1) || y->width[d] > NEWIDLE_LLC ||
		    !newidle_retry_fits(left, spent, y->highest[d].cost))
			continue;
		if (try(y, p, d, 1, true))
			return;
		spent += p->at[d]->cost;
	}
}

static void ask(struct player *y, const struct pass *p)
{
	const struct newidle_outcome skip = { .now = p->last->time };
	uint64_t skipped = 0, spent = 0;
	unsigned int d;
	u32 weight;

	for (d = 0; d < y->w.cpu->depths; d++) {
		if (!p->at[d])
			continue;
		if (y->width[d] > y->set->max_level) {
			y->figures[d].over_limit++;
			continue;
		}
		y->figures[d].calls++;
		if (!newidle_decide(y->set, &y->state[d], &y->rng, &weight)) {
			newidle_account(&y->state[d], y->set, &skip);
			skipped |= 1ULL << d;
			continue;
		}
		if (try(y, p, d, weight, false))
			return;
		spent += p->at[d]->cost;
	}
	if (skipped && y->set->retry)
		second_look(y, p, skipped, spent);
}

static void follow(struct player *y, const struct pass *p, uint64_t mask)
{
	unsigned int d;

	for (d = 0; d < y->w.cpu->depths; d++) {
		if (!p->at[d])
			continue;
		y->figures[d].calls++;
		if (mask >> (d < CHOICES ? d : CHOICES - 1) & 1 &&
		    try(y, p, d, 1, false))
			return;
	}
}

static void begin(struct player *y, const struct model *m, size_t c,
		  uint64_t seed)
{
	const struct cpu_events *cpu = &m->r->cpu[c];
	unsigned int d;

	y->w.cpu = cpu;
	newidle_rng_seed(&y->rng, seed + cpu->number);
	for (d = 0; d < cpu->depths; d++) {
		y->width[d] = level_width(cpu->name[d]);
		if (y->set)
			newidle_state_init(&y->state[d], y->set,
					   (int)(cpu->number + NEWIDLE_DEPTH_STEP * d),
					   cpu->event[0].time);
	}
}

static void play_cpu(struct player *y, const struct model *m, int64_t *net)
{
	uint64_t until = m->r->begin + m->stretch, n = 0;
	struct pass p;

	while (next_pass(&y->w, &p)) {
		while (p.last->time >= until) {
			*net++ += y->net;
			y->net = 0;
			until += m->stretch;
		}
		if (y->set)
			ask(y, &p);
		else
			follow(y, &p, y->masks[n++ / m->a->window]);
	}
	*net += y->net;
}

/* The best choice of depths for each window of this CPU. */
static bool choose(const struct model *m, size_t c, uint64_t **masks)
{
	const struct cpu_events *cpu = &m->r->cpu[c];
	const unsigned int bits = cpu->depths < CHOICES ? cpu->depths : CHOICES;
	const size_t windows = cpu->count / m->a->window + 1;
	struct figures unused[RECORDING_DEPTHS] = { { 0 } };
	int64_t *best = calloc(windows, sizeof(*best));
	uint64_t mask, n;
	struct pass p;

	*masks = calloc(windows, sizeof(**masks));
	for (mask = 1; best && *masks && mask < 1ULL << bits; mask++) {
		struct player y = { .figures = unused };

		begin(&y, m, c, 0);
		for (n = 0; next_pass(&y.w, &p);) {
			follow(&y, &p, mask);
			if (++n % m->a->window && y.w.next < cpu->count)
				continue;
			if (y.net > best[(n - 1) / m->a->window]) {
				best[(n - 1) / m->a->window] = y.net;
				(*masks)[(n - 1) / m->a->window] = mask;
			}
			y.net = 0;
		}
	}
	free(best);
	return best && *masks;
}

static bool play(const struct model *m, const struct newidle_settings *set,
		 uint64_t seed, struct played *p)
{
	uint64_t *masks = NULL;
	bool good = true;
	size_t c;

	memset(p, 0, sizeof(*p));
	p->at = calloc(m->r->nr_cpus + 1, RECORDING_DEPTHS * sizeof(*p->at));
	if (!p->at)
		return false;
	for (c = 0; c < m->r->nr_cpus && good; c++) {
		struct player y = {
			.set = set,
			.figures = &p->at[c * RECORDING_DEPTHS],
		};

		if (!m->r->cpu[c].count)
			continue;
		good = set || choose(m, c, &masks);
		y.masks = masks;
		begin(&y, m, c, seed);
		if (good)
			play_cpu(&y, m, p->net);
		free(masks);
		masks = NULL;
	}
	return good;
}

/**
 * play_policy() - what a policy would have done
 * @m: the recording
 * @set: the policy and its knobs
 * @seed: of its dice
 * @p: filled; to be freed with played_free()
 *
 * Return: false if there is not enough memory.
 */
bool play_policy(const struct model *m, const struct newidle_settings *set,
		 uint64_t seed, struct played *p)
{
	return play(m, set, seed, p);
}

/**
 * play_oracle() - the most that could be won by who knows what is to come, but
 *	not when: for each CPU and window the best constant choice of levels
 * @m: the recording
 * @p: filled; to be freed with played_free()
 *
 * Return: false if there is not enough memory.
 */
bool play_oracle(const struct model *m, struct played *p)
{
	return play(m, NULL, 0, p);
}

/**
 * played_free() - give its memory back
 * @p: what was played
 */
void played_free(struct played *p)
{
	free(p->at);
	p->at = NULL;
}

/**
 * figures_add() - sum figures up
 * @sum: grows
 * @f: by these
 */
void figures_add(struct figures *sum, const struct figures *f)
{
	sum->calls += f->calls;
	sum->attempts += f->attempts;
	sum->pulls += f->pulls;
	sum->retries += f->retries;
	sum->retry_pulls += f->retry_pulls;
	sum->over_limit += f->over_limit;
	sum->cost += f->cost;
	sum->won += f->won;
}
