/* SPDX-License-Identifier: GPL-2.0-only */
/* Write a recording: see docs/recording.md. */
#ifndef NEWIDLE_WRITER_H
#define NEWIDLE_WRITER_H

#include <stdio.h>
#include "recording.h"

struct lane;

/**
 * struct writer - a recording that is being written
 * @f: the file
 * @lane: blocks under way, by CPU
 * @events: written up to now
 * @failed: something went wrong; errno was kept in it
 */
struct writer {
	FILE *f;
	struct lane *lane[RECORDING_CPUS];
	uint64_t events;
	int failed;
};

void writer_begin(struct writer *w, FILE *f, const char *head);
void writer_pass(struct writer *w, unsigned int cpu, const struct event *e,
		 size_t count);
bool writer_end(struct writer *w, const char *tail);

#endif /* NEWIDLE_WRITER_H */
