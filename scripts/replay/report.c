// SPDX-License-Identifier: GPL-2.0-only
/* What was played, for people: see report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

const char *const assumptions[] = {
	"What comes of an attempt does not depend on what was decided before it: not "
	"on tasks that were left where they are, nor on the time that was spent.",
	"A pull wins the time that its CPU would have idled otherwise: the mean of "
	"the passes that failed on this CPU in the same window, each cut off at the "
	"longest time that is counted.",
	"A policy that does not try where the recording pulled goes on to wider "
	"domains; these do there as in their latest 16 attempts, in turn.",
	"Walks end where they ended when they were recorded, also if the policy would "
	"have left more of the kernel's budget.",
	"A task that is pulled costs nothing afterwards: not for its cold cache, nor "
	"for what it keeps from running where it comes to.",
	"The oracle makes the best constant choice of levels for each CPU and window "
	"of passes, knowing what is to come; no policy can.",
};

const int nr_assumptions = sizeof(assumptions) / sizeof(assumptions[0]);

/**
 * row_sum() - sum up what a policy did
 * @row: the policy
 * @r: the recording
 */
void row_sum(struct row *row, const struct recording *r)
{
	size_t i;

	row->total = (struct figures){ 0 };
	for (i = 0; i < r->nr_cpus * RECORDING_DEPTHS; i++)
		figures_add(&row->total, &row->p.at[i]);
}

static int level_index(const struct levels *l, const char *name)
{
	int i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->name[i], name))
			return i;
	return -1;
}

/**
 * levels_find() - which levels there are
 * @l: filled; more than fit are left out
 * @r: the recording
 */
void levels_find(struct levels *l, const struct recording *r)
{
	unsigned int d;
	size_t c;

	l->count = 0;
	for (d = 0; d < RECORDING_DEPTHS; d++)
		for (c = 0; c < r->nr_cpus; c++)
			if (d < r->cpu[c].depths && l->count < REPORT_LEVELS &&
			    level_index(l, r->cpu[c].name[d]) < 0)
				l->name[l->count++] = r->cpu[c].name[d];
}

/**
 * levels_sum() - figures of each level
 * @l: the levels
 * @r: the recording
 * @p: what was played
 * @sum: filled, for each level
 */
void levels_sum(const struct levels *l, const struct recording *r,
		const struct played *p, struct figures *sum)
{
	unsigned int d;
	size_t c;
	int i;

	memset(sum, 0, sizeof(*sum) * (size_t)l->count);
	for (c = 0; c < r->nr_cpus; c++) {
		for (d = 0; d < r->cpu[c].depths; d++) {
			i = level_index(l, r->cpu[c].name[d]);
			if (i >= 0)
				figures_add(&sum[i], &p->at[c * RECORDING_DEPTHS + d]);
		}
	}
}

/**
 * net_of() - idle time won less time spent
 * @f: figures
 *
 * Return: it, ns; below 0 it is a loss.
 */
int64_t net_of(const struct figures *f)
{
	return (int64_t)f->won - (int64_t)f->cost;
}

static void print_value(const char *text, const char *key, const char *before)
{
	size_t length;
	const char *value = recording_value(text, key, &length);

	if (value)
		printf("%s%.*s", before, (int)length, value);
}

static void print_recording(const struct report *t)
{
	const struct recording *r = t->m->r;
	uint64_t lost;

	printf("%s:", t->path);
	print_value(r->head, "kernel", " kernel ");
	print_value(r->head, "cpu", ", ");
	print_value(r->head, "topology", ", ");
	print_value(r->head, "command", "; ");
	printf("\n%zu CPUs, %.3f s, %" PRIu64 " attempts in %" PRIu64
	       " passes, of which %" PRIu64 " pulled",
	       r->nr_cpus, (double)(r->end - r->begin) / 1e9, r->events,
	       t->m->passes, t->m->pulled);
	if (recording_number(r, "lost", &lost))
		printf("; %" PRIu64 " events lost", lost);
	else
		printf("; how many events were lost is not known");
	printf("\n");
	if (t->m->guessed)
		printf("of %" PRIu64 " pulls no idle time near them is known: taken from farther away\n",
		       t->m->guessed);
	if (t->m->cut)
		printf("%" PRIu64 " attempts took longer than %" PRIu32
		       " us, by %.1f ms in all; that is left out\n",
		       t->m->cut, t->m->a->cost_limit / 1000,
		       (double)t->m->cut_ns / 1e6);
	if (t->m->a->cost_pct != 100)
		printf("attempts are taken to cost %" PRIu32 " %% of that\n",
		       t->m->a->cost_pct);
	/* Of 100 that are alike it would be 50. */
	if (r->events >= 100 && t->m->half * 50 < r->events)
		printf("half of the time was spent in %" PRIu64 " attempts: no work of the kernel's, if\n"
		       "this is a virtual machine whose CPUs are taken away meanwhile (--cost-limit)\n",
		       t->m->half);
}

static void print_share(int64_t part, int64_t whole)
{
	if (whole > 0)
		printf(" %6.1f%%", 100 * (double)part / (double)whole);
	else
		printf(" %7s", "-");
}

static void print_figures(const char *words, const struct figures *f,
			  const struct report *t, int64_t best)
{
	printf("%-28s %8" PRIu64, words, f->attempts + f->retries);
	print_share((int64_t)(f->pulls + f->retry_pulls), (int64_t)t->m->pulled);
	printf(" %8.1f %8.1f %8.1f", (double)f->cost / 1e6, (double)f->won / 1e6,
	       (double)net_of(f) / 1e6);
	print_share(net_of(f), best);
	printf("\n");
}

static void print_row(const struct report *t, const struct row *row,
		      const struct levels *levels, const struct figures *best)
{
	struct figures sum[REPORT_LEVELS];
	char words[64];
	int i;

	/* All begin so. */
	snprintf(words, sizeof(words), "%s%s",
		 row->words + (strncmp(row->words, "policy=", 7) ? 0 : 7),
		 row->native ? " *" : "");
	print_figures(words, &row->total, t, net_of(&t->oracle.total));
	if (!t->by_level)
		return;
	levels_sum(levels, t->m->r, &row->p, sum);
	for (i = 0; i < levels->count; i++) {
		snprintf(words, sizeof(words), "  %s",
			 *levels->name[i] ? levels->name[i] : "?");
		print_figures(words, &sum[i], t, net_of(&best[i]));
	}
}

/* In lines that fit a terminal. */
static void print_wrapped(const char *text)
{
	size_t column = 2, n;
	const char *before = "- ";

	for (; *text; text += n, text += *text == ' ') {
		n = strcspn(text, " ");
		if (column + 1 + n > 79) {
			before = "\n  ";
			column = 2;
		}
		printf("%s%.*s", before, (int)n, text);
		column += n + 1;
		before = " ";
	}
	printf("\n");
}

/**
 * report_text() - tell people
 * @t: what
 */
void report_text(const struct report *t)
{
	struct figures best[REPORT_LEVELS];
	struct levels levels;
	int i;

	levels_find(&levels, t->m->r);
	levels_sum(&levels, t->m->r, &t->oracle.p, best);
	print_recording(t);
	printf("\n%-28s %8s %7s %8s %8s %8s %7s\n", "policy", "attempts", "kept",
	       "spent/ms", "won/ms", "net/ms", "oracle");
	for (i = 0; i < t->nr_rows; i++)
		print_row(t, &t->row[i], &levels, best);
	print_row(t, &t->oracle, &levels, best);
	printf("\nkept: pulls, of those recorded; net: idle time won less time spent in attempts;\n"
	       "oracle: net, of the oracle's; *: what the kernel does by itself.  A pull wins\n"
	       "at most %" PRIu32 " us; windows are of %" PRIu32 " passes.  Assumed is:\n",
	       t->m->a->longest / 1000, t->m->a->window);
	for (i = 0; i < nr_assumptions; i++)
		print_wrapped(assumptions[i]);
}
