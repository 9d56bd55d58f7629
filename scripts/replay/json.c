// SPDX-License-Identifier: GPL-2.0-only
/* What was played, for programs: see report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report.h"

static void print_string(const char *text, size_t length)
{
	size_t i;

	putchar('"');
	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < ' ' || c > '~')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_text(const char *text)
{
	print_string(text, strlen(text));
}

/* Lines "KEY VALUE" that are said once; those of levels are told elsewhere. */
static void print_facts(const char *text)
{
	const char *before = "", *line;
	size_t key, all, length;
	char name[64];

	putchar('{');
	for (line = text; line; line = recording_line(line)) {
		key = strcspn(line, " \n");
		all = strcspn(line, "\n");
		if (!key || key >= sizeof(name) || key == all ||
		    !strncmp(line, "level ", 6))
			continue;
		memcpy(name, line, key);
		name[key] = '\0';
		/* The first one counts. */
		if (recording_value(text, name, &length) != line + key + 1)
			continue;
		printf("%s", before);
		print_string(line, key);
		printf(": ");
		print_string(line + key + 1, all - key - 1);
		before = ", ";
	}
	putchar('}');
}

static void print_figures(const struct figures *f)
{
	printf("\"calls\": %" PRIu64 ", \"attempts\": %" PRIu64
	       ", \"pulls\": %" PRIu64 ", \"retries\": %" PRIu64
	       ", \"retry_pulls\": %" PRIu64 ", \"over_limit\": %" PRIu64
	       ", \"cost_ns\": %" PRIu64 ", \"won_ns\": %" PRIu64
	       ", \"net_ns\": %" PRId64,
	       f->calls, f->attempts, f->pulls, f->retries, f->retry_pulls,
	       f->over_limit, f->cost, f->won, net_of(f));
}

static void print_levels(const struct report *t, const struct row *row,
			 const struct levels *levels)
{
	struct figures sum[REPORT_LEVELS];
	int i;

	levels_sum(levels, t->m->r, &row->p, sum);
	printf(", \"levels\": [");
	for (i = 0; i < levels->count; i++) {
		printf("%s{\"level\": ", i ? ", " : "");
		print_text(levels->name[i]);
		printf(", ");
		print_figures(&sum[i]);
		printf("}");
	}
	printf("]");
}

static void print_cpus(const struct report *t, const struct row *row)
{
	const struct recording *r = t->m->r;
	const char *before = "";
	unsigned int d;
	size_t c;

	printf(", \"cpus\": [");
	for (c = 0; c < r->nr_cpus; c++) {
		for (d = 0; d < r->cpu[c].depths; d++) {
			printf("%s{\"cpu\": %u, \"depth\": %u, ", before,
			       r->cpu[c].number, d);
			print_figures(&row->p.at[c * RECORDING_DEPTHS + d]);
			printf("}");
			before = ", ";
		}
	}
	printf("]");
}

static void print_row(const struct report *t, const struct row *row,
		      const struct levels *levels)
{
	const int64_t best = net_of(&t->oracle.total);
	int i;

	printf("{\"name\": ");
	print_text(row->words);
	printf(", \"native\": %s, \"cpu_s\": %.3f, ",
	       row->native ? "true" : "false", row->seconds);
	print_figures(&row->total);
	printf(", \"share_of_oracle\": ");
	if (best > 0)
		printf("%.6f", (double)net_of(&row->total) / (double)best);
	else
		printf("null");
	printf(", \"net_ns_by_stretch\": [");
	for (i = 0; i < PLAY_STRETCHES; i++)
		printf("%s%" PRId64, i ? ", " : "", row->p.net[i]);
	printf("]");
	print_levels(t, row, levels);
	if (t->by_level)
		print_cpus(t, row);
	printf("}");
}

/**
 * report_json() - tell programs
 * @t: what
 */
void report_json(const struct report *t)
{
	const struct recording *r = t->m->r;
	struct levels levels;
	int i;

	levels_find(&levels, r);
	printf("{\"file\": ");
	print_text(t->path);
	printf(", \"head\": ");
	print_facts(r->head);
	printf(", \"tail\": ");
	print_facts(r->tail);
	printf(", \"damage\": ");
	if (*r->damage)
		print_text(r->damage);
	else
		printf("null");
	printf(", \"cpus\": %zu, \"duration_ns\": %" PRIu64 ", \"events\": %" PRIu64
	       ", \"passes\": %" PRIu64 ", \"pulled_passes\": %" PRIu64
	       ", \"guessed_passes\": %" PRIu64 ", \"half_of_cost\": %" PRIu64,
	       r->nr_cpus, r->end - r->begin, r->events, t->m->passes,
	       t->m->pulled, t->m->guessed, t->m->half);
	printf(", \"reading_cpu_s\": %.3f", t->seconds);
	printf(", \"window\": %" PRIu32 ", \"longest_ns\": %" PRIu32,
	       t->m->a->window, t->m->a->longest);
	if (t->m->a->cost_limit < UINT32_MAX)
		printf(", \"cost_limit_ns\": %" PRIu32, t->m->a->cost_limit);
	else
		printf(", \"cost_limit_ns\": null");
	printf(", \"cost_pct\": %" PRIu32 ", \"cut_attempts\": %" PRIu64
	       ", \"cut_ns\": %" PRIu64 ", \"assumptions\": [",
	       t->m->a->cost_pct, t->m->cut, t->m->cut_ns);
	for (i = 0; i < nr_assumptions; i++) {
		printf("%s", i ? ", " : "");
		print_text(assumptions[i]);
	}
	printf("],\n\"oracle\": ");
	print_row(t, &t->oracle, &levels);
	printf(",\n\"variants\": [");
	for (i = 0; i < t->nr_rows; i++) {
		printf("%s", i ? ",\n" : "");
		print_row(t, &t->row[i], &levels);
	}
	printf("]}\n");
}
