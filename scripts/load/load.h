/* SPDX-License-Identifier: GPL-2.0-only */
/* What both loads need: time, dice, numbers from the command line. */
#ifndef NEWIDLE_LOAD_H
#define NEWIDLE_LOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX	4096

static inline uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Of the thread's own time, so that waiting for a CPU is no work. */
static inline void work(uint64_t ns)
{
	const uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* Uniform in [0, 1). */
static inline double uniform(uint64_t *s)
{
	*s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*s >> 11) / 9007199254740992.0;
}

static inline unsigned int cpus(void)
{
	const long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (unsigned int)count : 1;
}

/* Ends the program if it is no number in these bounds. */
static inline double number(const char *text, double lowest, double highest)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || *end || !(value >= lowest && value <= highest)) {
		fprintf(stderr, "%s is not a number in %g ... %g\n", text, lowest, highest);
		exit(2);
	}
	return value;
}

#endif /* NEWIDLE_LOAD_H */
