// SPDX-License-Identifier: GPL-2.0-only
/*
 * made FILE CPUS EVENTS: a recording of a machine that never was, of the loads
 * of tests/unit/loads.h, one for each CPU in turn, with three levels: a pull is
 * found at one of them.  The same on every run.
 */
#include <stdio.h>
#include <stdlib.h>
#include "loads.h"
#include "writer.h"

#define LEVELS	3

static struct happening happenings[LOAD_EVENTS];

/* Where a pull is found, and what wider levels cost more. */
static void put_pass(struct writer *w, unsigned int cpu, uint64_t *time,
		     const struct happening *h, unsigned int n)
{
	const unsigned int found = h->pulls ? n % LEVELS : LEVELS;
	struct event e[LEVELS];
	unsigned int d;

	*time += h->since;
	for (d = 0; d < LEVELS && d <= found; d++) {
		*time += h->cost * (1 + d) / 2;
		e[d] = (struct event){
			.time = *time,
			.cost = (uint32_t)(h->cost * (1 + d) / 2),
			.avg_idle = (uint32_t)(h->mean < 1000000 ? h->mean : 1000000),
			.depth = (uint8_t)d,
			.flags = d ? 0 : EVENT_FIRST,
		};
	}
	d--;
	if (found < LEVELS) {
		e[d].flags |= EVENT_PULLED;
	} else {
		e[d].flags |= EVENT_IDLED;
		e[d].idle = (uint32_t)h->idle;
	}
	writer_pass(w, cpu, e, d + 1);
}

int main(int argc, char **argv)
{
	static struct writer w;
	char tail[65536], *at = tail;
	uint64_t time, events;
	unsigned int cpu, cpus;
	FILE *f;
	int n;

	if (argc != 4) {
		fprintf(stderr, "usage: made FILE CPUS EVENTS\n");
		return 2;
	}
	f = fopen(argv[1], "wb");
	if (!f) {
		perror(argv[1]);
		return 1;
	}
	cpus = (unsigned int)atoi(argv[2]);
	events = strtoull(argv[3], NULL, 10);
	at += sprintf(at, "lost 0\n");
	writer_begin(&w, f, "kernel none\ncpu made up\nnative random+rate\n");
	for (cpu = 0; cpu < cpus && cpu < 512; cpu++) {
		load_make(happenings, &mixes[cpu % (unsigned int)nr_mixes], BURSTS, cpu + 1);
		time = 1000000000000ULL;
		for (n = 0; w.events < events * (cpu + 1) / cpus; n++)
			put_pass(&w, cpu, &time, &happenings[n % LOAD_EVENTS], (unsigned int)n);
		at += sprintf(at, "level %u 0 SMT\nlevel %u 1 MC\nlevel %u 2 PKG\n", cpu, cpu, cpu);
	}
	if (!writer_end(&w, tail) || fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
