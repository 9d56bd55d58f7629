// SPDX-License-Identifier: GPL-2.0-only
/*
 * newidle replay: what each policy would have done on a recording.
 *
 * Links the module's policy.c as it is.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "report.h"
#include "variants.h"

#define OK		0
#define FAILED		1
#define WRONG_USE	2

static const char usage[] =
	"usage: newidle replay [OPTION...] FILE\n"
	"\n"
	"What each policy would have done on a recording of newidle record: its\n"
	"attempts, the pulls that it keeps, the time that it spends in attempts, the\n"
	"idle time that pulls win back, and the net of both; the latter also in percent\n"
	"of the time of the CPUs recorded, and of what an oracle would have won.\n"
	"\n"
	"options:\n"
	"  -p, --policy KNOB=VALUE[,...]  play this, instead of the usual ones; may be\n"
	"                                 given several times\n"
	"  -l, --levels        tell levels of domains one by one (with --json also CPUs)\n"
	"  -w, --window N      passes in a window, 1 ... 1000000 (1024)\n"
	"  -m, --longest US    idle time that a pull wins at most, 1 ... 4000000 (1000)\n"
	"  -c, --cost-limit US what an attempt takes at most, 1 ... 4000000 (none):\n"
	"                      on a machine whose CPUs lose their turn meanwhile\n"
	"  -x, --cost-pct N    what attempts cost, percent of that, 1 ... 100000 (100)\n"
	"  -s, --seed N        of the dice (0)\n"
	"  -d, --damaged       use what is whole of a file that is damaged\n"
	"      --json          print JSON\n"
	"  -h, --help          show this help\n"
	"\n"
	"exit status:\n"
	"  0  done\n"
	"  1  the file can't be read, is damaged, or has no events\n"
	"  2  wrong use\n";

static const struct option long_options[] = {
	{ "policy", required_argument, NULL, 'p' },
	{ "levels", no_argument, NULL, 'l' },
	{ "window", required_argument, NULL, 'w' },
	{ "longest", required_argument, NULL, 'm' },
	{ "cost-limit", required_argument, NULL, 'c' },
	{ "cost-pct", required_argument, NULL, 'x' },
	{ "seed", required_argument, NULL, 's' },
	{ "damaged", no_argument, NULL, 'd' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* So many policies can be asked for. */
#define WORDS_MAX	100

struct options {
	const char *path;
	const char *words[WORDS_MAX];
	int nr_words;
	struct assumed assumed;
	uint64_t seed;
	bool levels, damaged, json;
};

static void say(const char *what, const char *why)
{
	fprintf(stderr, "newidle: %s%s%s\n", what, *why ? ": " : "", why);
}

static bool number(const char *text, uint64_t lowest, uint64_t highest,
		   uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno &&
	       *value >= lowest && *value <= highest;
}

/* Returns an exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct options *o)
{
	uint64_t value = 0;
	bool good = true;
	int c;

	*o = (struct options){
		.assumed = {
			.window = 1024,
			.longest = 1000000,
			.cost_limit = UINT32_MAX,
			.cost_pct = 100,
		},
	};
	while (good && (c = getopt_long(argc, argv, "p:lw:m:c:x:s:dh", long_options,
					NULL)) != -1) {
		switch (c) {
		case 'p':
			good = o->nr_words < WORDS_MAX;
			if (good)
				o->words[o->nr_words++] = optarg;
			break;
		case 'l':
			o->levels = true;
			break;
		case 'w':
			good = number(optarg, 1, 1000000, &value);
			o->assumed.window = (uint32_t)value;
			break;
		case 'm':
			good = number(optarg, 1, 4000000, &value);
			o->assumed.longest = (uint32_t)value * 1000;
			break;
		case 'c':
			good = number(optarg, 1, 4000000, &value);
			o->assumed.cost_limit = (uint32_t)value * 1000;
			break;
		case 'x':
			good = number(optarg, 1, 100000, &value);
			o->assumed.cost_pct = (uint32_t)value;
			break;
		case 's':
			good = number(optarg, 0, UINT64_MAX, &o->seed);
			break;
		case 'd':
			o->damaged = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return OK;
		default:
			return WRONG_USE;
		}
	}
	if (!good || optind != argc - 1) {
		fputs(usage, stderr);
		return WRONG_USE;
	}
	o->path = argv[optind];
	if (!o->nr_words) {
		memcpy(o->words, usual_variants,
		       (size_t)nr_usual_variants * sizeof(*usual_variants));
		o->nr_words = nr_usual_variants;
	}
	return -1;
}

static int parse_variants(const struct options *o, const struct recording *r,
			  struct newidle_settings *set, struct row *row)
{
	const char *native, *words, *why;
	size_t length;
	int i;

	native = recording_value(r->head, "native", &length);
	words = native_words(native, length);
	for (i = 0; i < o->nr_words; i++) {
		row[i].words = o->words[i];
		row[i].native = words && !strcmp(words, o->words[i]);
		why = variant_parse(o->words[i], native, length, &set[i]);
		if (!why)
			continue;
		fprintf(stderr, "newidle: %s %s\n", o->words[i], why);
		return WRONG_USE;
	}
	return OK;
}

/* Of this process since it began. */
static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static bool play_row(const struct model *m, const struct newidle_settings *set,
		     uint64_t seed, struct row *row)
{
	const double begin = cpu_seconds();
	const bool good = set ? play_policy(m, set, seed, &row->p) :
				play_oracle(m, &row->p);

	if (good)
		row_sum(row, m->r);
	row->seconds = cpu_seconds() - begin;
	return good;
}

static int play(const struct options *o, struct recording *r)
{
	struct newidle_settings *set = calloc((size_t)o->nr_words, sizeof(*set));
	struct row *row = calloc((size_t)o->nr_words, sizeof(*row));
	struct model m;
	struct report t = {
		.path = o->path,
		.m = &m,
		.by_level = o->levels,
		.oracle = { .words = "oracle" },
		.row = row,
		.nr_rows = o->nr_words,
	};
	bool good = set && row;
	int i, status;

	status = good ? parse_variants(o, r, set, row) : FAILED;
	if (status == WRONG_USE)
		goto out;
	model_prepare(&m, r, &o->assumed);
	t.seconds = cpu_seconds();
	good = good && play_row(&m, NULL, 0, &t.oracle);
	for (i = 0; i < o->nr_words && good; i++)
		good = play_row(&m, &set[i], o->seed, &row[i]);
	if (!good) {
		say("not enough memory", "");
		status = FAILED;
		goto out;
	}
	if (o->json)
		report_json(&t);
	else
		report_text(&t);
out:
	for (i = 0; row && i < o->nr_words; i++)
		played_free(&row[i].p);
	played_free(&t.oracle.p);
	free(row);
	free(set);
	return status;
}

int main(int argc, char **argv)
{
	struct recording r;
	struct options o;
	int status;

	status = parse(argc, argv, &o);
	if (status >= 0)
		return status;
	if (!recording_read(&r, o.path)) {
		say(o.path, r.damage);
		status = FAILED;
	} else if (*r.damage && !o.damaged) {
		say(o.path, r.damage);
		say("--damaged uses what is before that", "");
		status = FAILED;
	} else if (!r.events) {
		say(o.path, "nothing was recorded: no attempt of new-idle balance");
		status = FAILED;
	} else {
		if (*r.damage)
			say(o.path, r.damage);
		status = play(&o, &r);
	}
	recording_free(&r);
	if (fflush(stdout) || ferror(stdout)) {
		say("standard output", strerror(errno));
		status = FAILED;
	}
	return status;
}
