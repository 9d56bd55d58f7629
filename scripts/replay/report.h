/* SPDX-License-Identifier: GPL-2.0-only */
/* What was played, as a table and as JSON. */
#ifndef NEWIDLE_REPORT_H
#define NEWIDLE_REPORT_H

#include "play.h"

#define REPORT_LEVELS	32

/**
 * struct row - a policy, or the oracle, and what it did
 * @words: its name
 * @native: it is what the recorded kernel does by itself
 * @seconds: CPU time that playing took
 * @p: by CPU and depth
 * @total: of all
 */
struct row {
	const char *words;
	bool native;
	double seconds;
	struct played p;
	struct figures total;
};

/**
 * struct report - all that is told
 * @path: the file
 * @m: the recording
 * @by_level: tell levels one by one
 * @seconds: CPU time that reading took
 * @oracle: the oracle
 * @row: the policies
 * @nr_rows: how many
 */
struct report {
	const char *path;
	const struct model *m;
	bool by_level;
	double seconds;
	struct row oracle;
	struct row *row;
	int nr_rows;
};

/**
 * struct levels - the levels of all CPUs, by name, lowest first
 * @name: names
 * @count: how many
 */
struct levels {
	const char *name[REPORT_LEVELS];
	int count;
};

extern const char *const assumptions[];
extern const int nr_assumptions;

void row_sum(struct row *row, const struct recording *r);
void levels_find(struct levels *l, const struct recording *r);
void levels_sum(const struct levels *l, const struct recording *r,
		const struct played *p, struct figures *sum);
int64_t net_of(const struct figures *f);
void report_text(const struct report *t);
void report_json(const struct report *t);

#endif /* NEWIDLE_REPORT_H */
