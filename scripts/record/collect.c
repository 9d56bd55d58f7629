// SPDX-License-Identifier: GPL-2.0-only
/*
 * newidle-collect INSTANCE FILE HEAD: for newidle record, write a recording of the
 * trace events in an instance of tracefs until standard input ends.
 *
 * Says what it wrote as JSON.  What is recorded is switched on and off by the
 * caller, who sees to it that nothing stays.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "follow.h"
#include "instance.h"

/* How often buffers are emptied: each time is a visit to one of the CPUs. */
#define INTERVAL_MS	200

/* Of trace.h, as in the module. */
#define BY_BUDGET	1

struct collector {
	struct instance instance;
	struct writer w;
	struct follower *cpu;
	int *fd;
	unsigned int nr_cpus;
	uint8_t *page;
	bool malformed;
};

struct reading {
	struct collector *c;
	struct follower *f;
};

static uint64_t get(const struct collector *c, const struct event_seen *e,
		    enum kind k, enum what what)
{
	return field_value(e, &c->instance.kind[k].field[what]);
}

static void see_decide(const struct collector *c, struct follower *f,
		       const struct event_seen *e)
{
	const struct field *name = &c->instance.kind[DECIDE].field[LEVEL];
	const uint32_t depth = (uint32_t)get(c, e, DECIDE, DEPTH);

	follow_decide(f, depth, get(c, e, DECIDE, AVG_IDLE),
		      !get(c, e, DECIDE, TRY) &&
			      get(c, e, DECIDE, REASON) == BY_BUDGET);
	if (depth < RECORDING_DEPTHS && !*f->name[depth] &&
	    name->offset + name->size <= e->size)
		follow_name(f, depth, e->data + name->offset, name->size);
}

static void see(void *context, const struct event_seen *e)
{
	const struct reading *r = context;
	const struct collector *c = r->c;
	const struct event_kind *kind = c->instance.kind;

	/* All begin alike. */
	const uint64_t id = get(c, e, DONE, TYPE);

	if (id == kind[DECIDE].id) {
		see_decide(c, r->f, e);
	} else if (id == kind[DONE].id) {
		const struct done d = {
			.time = e->time,
			.cost = get(c, e, DONE, COST),
			.depth = (uint32_t)get(c, e, DONE, DEPTH),
			.pid = (uint32_t)get(c, e, DONE, PID),
			.pulled = get(c, e, DONE, PULLED),
			.retry = get(c, e, DONE, RETRY),
		};

		follow_done(r->f, &d);
	} else if (id == kind[SWITCH].id) {
		follow_switch(r->f, e->time, (uint32_t)get(c, e, SWITCH, PREV),
			      (uint32_t)get(c, e, SWITCH, NEXT));
	}
}

/* Whatever is there of one CPU. */
static void empty(struct collector *c, unsigned int cpu)
{
	struct reading r = { c, &c->cpu[cpu] };
	ssize_t got;
	bool missed;

	while ((got = read(c->fd[cpu], c->page, c->instance.page)) > 0) {
		/* The mark comes with the page, whose events are behind the gap. */
		if ((size_t)got > 12 && c->page[11] & 0x80)
			follow_gap(r.f);
		if (!ring_page(c->page, (size_t)got, see, &r, &missed)) {
			c->malformed = true;
			return;
		}
	}
}

static bool open_cpus(struct collector *c)
{
	int fd;

	c->cpu = calloc(RECORDING_CPUS, sizeof(*c->cpu));
	c->fd = calloc(RECORDING_CPUS, sizeof(*c->fd));
	c->page = malloc(c->instance.page);
	if (!c->cpu || !c->fd || !c->page)
		return false;
	while (c->nr_cpus < RECORDING_CPUS) {
		fd = instance_pages(&c->instance, c->nr_cpus);
		if (fd < 0)
			break;
		c->fd[c->nr_cpus] = fd;
		c->cpu[c->nr_cpus].cpu = c->nr_cpus;
		c->cpu[c->nr_cpus].w = &c->w;
		c->nr_cpus++;
	}
	return c->nr_cpus;
}

/* Until standard input ends, or nothing can be written. */
static void collect(struct collector *c)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned int cpu;
	bool end = false;
	char byte;

	while (!c->w.failed && !c->malformed) {
		for (cpu = 0; cpu < c->nr_cpus; cpu++)
			empty(c, cpu);
		/* What was there when the end was told has been read by now. */
		if (end)
			return;
		if (poll(&in, 1, INTERVAL_MS) > 0)
			end = read(STDIN_FILENO, &byte, 1) <= 0;
	}
}

static char *tail(struct collector *c, double seconds)
{
	uint64_t lost = 0, idled = 0, unasked = 0, budget = 0;
	unsigned int cpu, d;
	char *text = NULL;
	bool known = true;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (cpu = 0; cpu < c->nr_cpus; cpu++) {
		follow_gap(&c->cpu[cpu]);
		idled += c->cpu[cpu].idled;
		unasked += c->cpu[cpu].unasked;
		budget += c->cpu[cpu].budget;
		known &= instance_lost(&c->instance, cpu, &lost);
	}
	if (known)
		fprintf(f, "lost %llu\n", (unsigned long long)lost);
	fprintf(f, "seconds %.3f\nidled %llu\nunasked %llu\nbudget %llu\n", seconds,
		(unsigned long long)idled, (unsigned long long)unasked,
		(unsigned long long)budget);
	for (cpu = 0; cpu < c->nr_cpus; cpu++)
		for (d = 0; d < RECORDING_DEPTHS; d++)
			if (*c->cpu[cpu].name[d])
				fprintf(f, "level %u %u %s\n", cpu, d, c->cpu[cpu].name[d]);
	printf("{\"events\": %llu, \"lost\": ", (unsigned long long)c->w.events);
	if (known)
		printf("%llu", (unsigned long long)lost);
	else
		printf("null");
	printf(", \"seconds\": %.3f, \"idled\": %llu, \"unasked\": %llu, \"budget\": %llu}\n",
	       seconds, (unsigned long long)idled, (unsigned long long)unasked,
	       (unsigned long long)budget);
	return fclose(f) ? NULL : text;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static struct collector c;
	double begin;
	char *text;
	FILE *f;

	if (argc != 4) {
		fprintf(stderr, "usage: newidle-collect INSTANCE FILE HEAD\n");
		return 2;
	}
	/* The end of standard input is the one sign to stop, and to lose nothing. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (!instance_open(&c.instance, argv[1]))
		return 1;
	f = fopen(argv[2], "wbe");
	if (!f || !open_cpus(&c)) {
		fprintf(stderr, "newidle: %s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	begin = now();
	writer_begin(&c.w, f, argv[3]);
	/* So that the caller knows that it may begin. */
	printf("{\"ready\": true}\n");
	fflush(stdout);
	collect(&c);
	if (c.malformed) {
		fprintf(stderr, "newidle: the ring buffer has another format than newidle knows\n");
		return 1;
	}
	text = tail(&c, now() - begin);
	if (!text || !writer_end(&c.w, text) || fclose(f)) {
		fprintf(stderr, "newidle: %s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	free(text);
	return fflush(stdout) ? 1 : 0;
}
