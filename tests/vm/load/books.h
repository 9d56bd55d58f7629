/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's and newidle's counts of new-idle balance; for one .c file. */
#ifndef BOOKS_H
#define BOOKS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATS "/sys/kernel/newidle/stats/"
#define UNKNOWN (-1LL)

/**
 * struct books - totals at one moment
 * @idle: times that the watched CPU went idle
 * @attempts: newly-idle attempts of all CPUs, by /proc/schedstat
 * @gained: tasks that they pulled
 * @calls: newidle's decisions, UNKNOWN if it is not there or doesn't know
 * @tries: its attempts
 * @skips: its skips
 * @won: its pulls
 */
struct books {
	long long idle, attempts, gained;
	long long calls, tries, skips, won;
};

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

static long long read_stat(const char *path)
{
	long long value = UNKNOWN;
	FILE *f = fopen(path, "r");

	if (!f)
		return UNKNOWN;
	if (fscanf(f, "%lld", &value) != 1)
		value = UNKNOWN;
	fclose(f);
	return value;
}

/*
 * The third group of a domain's numbers is "newly idle".  Its second and third,
 * balanced and failed, are of no use in a running system: they are counted when
 * an attempt ends, the attempt itself when it begins.
 */
static void read_domain(char *line, int version, struct books *b)
{
	const int group = version >= 17 ? 11 : 8;
	const int gained = version >= 17 ? 7 : 4;
	/* Since version 17 the domain's name stands before its CPUs. */
	const int first = (version >= 17 ? 3 : 2) + 2 * group;
	char *word = strtok(line, " ");
	int i;

	for (i = 0; word && i <= first + gained; i++) {
		if (i == first)
			b->attempts += atoll(word);
		if (i == first + gained)
			b->gained += atoll(word);
		word = strtok(NULL, " ");
	}
	if (i <= first + gained)
		die("/proc/schedstat: short domain line");
}

static void read_schedstat(int cpu, struct books *b)
{
	FILE *f = fopen("/proc/schedstat", "r");
	int version = 0, this_cpu, found = 0;
	char line[1024];
	long long idle;

	if (!f)
		die("can't read /proc/schedstat");
	b->attempts = 0;
	b->gained = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "version %d", &version) == 1)
			continue;
		if (!strncmp(line, "domain", 6)) {
			read_domain(line, version, b);
			continue;
		}
		/* yields, an old zero, schedules, idle entries */
		if (sscanf(line, "cpu%d %*s %*s %*s %lld", &this_cpu, &idle) == 2 &&
		    this_cpu == cpu) {
			b->idle = idle;
			found = 1;
		}
	}
	fclose(f);
	if (version < 15 || version > 17 || !found)
		die("/proc/schedstat: version %d is unknown, or no CPU %d",
		    version, cpu);
}

/* @cpu: the CPU whose idle entries count */
static void read_books(int cpu, struct books *b)
{
	read_schedstat(cpu, b);
	b->calls = read_stat(STATS "calls");
	b->tries = read_stat(STATS "attempts");
	b->skips = read_stat(STATS "skips");
	b->won   = read_stat(STATS "pulls");
}

static void print_change(const char *name, long long from, long long to)
{
	if (from == UNKNOWN || to == UNKNOWN)
		printf(" %s=-", name);
	else
		printf(" %s=%lld", name, to - from);
}

#endif /* BOOKS_H */
