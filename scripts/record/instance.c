// SPDX-License-Identifier: GPL-2.0-only
/* The files of an instance of tracefs: see instance.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "instance.h"

static const char *const kind_names[NR_KINDS] = {
	[DECIDE] = "newidle/newidle_decide",
	[DONE] = "newidle/newidle_done",
	[SWITCH] = "sched/sched_switch",
};

static const char *const field_names[NR_FIELDS] = {
	[TYPE] = "common_type",
	[PID] = "common_pid",
	[AVG_IDLE] = "avg_idle",
	[DEPTH] = "depth",
	[LEVEL] = "level",
	[TRY] = "tried",
	[REASON] = "reason",
	[COST] = "cost_ns",
	[PULLED] = "pulled",
	[RETRY] = "retry",
	[PREV] = "prev_pid",
	[NEXT] = "next_pid",
};

#define BIT(n) (1U << (n))
#define ALL (BIT(TYPE) | BIT(PID))

/* What an event must have. */
static const unsigned int needed[NR_KINDS] = {
	[DECIDE] = ALL | BIT(AVG_IDLE) | BIT(DEPTH) | BIT(LEVEL) | BIT(TRY) | BIT(REASON),
	[DONE] = ALL | BIT(COST) | BIT(DEPTH) | BIT(PULLED) | BIT(RETRY),
	[SWITCH] = ALL | BIT(PREV) | BIT(NEXT),
};

static void complain(const char *path, const char *why)
{
	fprintf(stderr, "newidle: %s: %s\n", path, why);
}

/* Ends with a 0; false if it can't be read. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t got = 0;
	ssize_t more = -1;

	while (fd >= 0 && got < size - 1) {
		more = read(fd, text + got, size - 1 - got);
		if (more <= 0)
			break;
		got += (size_t)more;
	}
	text[got] = '\0';
	if (fd >= 0)
		close(fd);
	return fd >= 0 && more >= 0;
}

static bool open_kind(struct instance *i, enum kind k)
{
	char path[PATH_MAX], text[16384];
	struct event_kind *kind = &i->kind[k];
	unsigned int f;

	snprintf(path, sizeof(path), "%s/events/%s/id", i->path, kind_names[k]);
	if (!read_text(path, text, sizeof(text))) {
		complain(path, strerror(errno));
		return false;
	}
	kind->id = strtoull(text, NULL, 10);
	snprintf(path, sizeof(path), "%s/events/%s/format", i->path, kind_names[k]);
	if (!read_text(path, text, sizeof(text))) {
		complain(path, strerror(errno));
		return false;
	}
	for (f = 0; f < NR_FIELDS; f++) {
		if (!field_find(text, field_names[f], &kind->field[f]) &&
		    needed[k] & BIT(f)) {
			complain(path, "it has another format than newidle knows");
			return false;
		}
	}
	return true;
}

/**
 * instance_open() - look at the formats of events and pages
 * @i: filled
 * @path: the instance's directory; must stay
 *
 * Return: false if something is not as it should be, which is told.
 */
bool instance_open(struct instance *i, const char *path)
{
	char file[PATH_MAX], text[4096];
	struct field data;
	unsigned int k;

	*i = (struct instance){ .path = path };
	/* An instance has this since Linux 6.8 or so, the top always. */
	snprintf(file, sizeof(file), "%s/events/header_page", path);
	if (!read_text(file, text, sizeof(text))) {
		snprintf(file, sizeof(file), "%s/../../events/header_page", path);
		if (!read_text(file, text, sizeof(text))) {
			complain(file, strerror(errno));
			return false;
		}
	}
	if (!field_find(text, "data", &data) || data.offset != 16 || !data.size) {
		complain(file, "it has another format than newidle knows");
		return false;
	}
	i->page = data.offset + data.size;
	for (k = 0; k < NR_KINDS; k++)
		if (!open_kind(i, (enum kind)k))
			return false;
	return true;
}

/**
 * instance_pages() - open the pages of a CPU, to be read without waiting
 * @i: the instance
 * @cpu: the CPU
 *
 * Return: a file descriptor, or -1: there is no such CPU.
 */
int instance_pages(const struct instance *i, unsigned int cpu)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", i->path, cpu);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/**
 * instance_lost() - events of a CPU that nobody could read
 * @i: the instance
 * @cpu: the CPU
 * @lost: grows by them
 *
 * Return: false if that is not known.
 */
bool instance_lost(const struct instance *i, unsigned int cpu, uint64_t *lost)
{
	static const char *const lines[] = { "\noverrun: ", "\ncommit overrun: ",
					     "\ndropped events: " };
	char path[PATH_MAX], text[4096];
	const char *at;
	size_t n;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", i->path, cpu);
	if (!read_text(path, text, sizeof(text)))
		return false;
	for (n = 0; n < sizeof(lines) / sizeof(lines[0]); n++) {
		at = strstr(text, lines[n]);
		if (!at)
			return false;
		*lost += strtoull(at + strlen(lines[n]), NULL, 10);
	}
	return true;
}
