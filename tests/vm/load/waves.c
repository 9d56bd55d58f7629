// SPDX-License-Identifier: GPL-2.0-only
/*
 * waves THREADS SECONDS BUSY_US IDLE_US [SEED]
 *
 * Each thread works for a while, sleeps for a while, and so on; both times are
 * drawn from exponential distributions with these means.  With somewhat more
 * threads than CPUs, a CPU that goes idle now finds a task to pull and now
 * none.  The same seed gives the same times.
 *
 * Prints the rounds that all threads did in a second.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX	256

static double busy_us, idle_us;
static uint64_t end;

struct worker {
	pthread_t thread;
	uint64_t random;
	unsigned long rounds;
};

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* An exponentially distributed time, ns. */
static uint64_t draw(struct worker *w, double mean_us)
{
	double u;

	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	u = ((w->random >> 11) + 1) * 0x1p-53;
	return -log(u) * mean_us * 1000;
}

/* Of the thread's own time, so that the work is the same on a busy CPU. */
static void work(uint64_t ns)
{
	uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static void rest(uint64_t ns)
{
	struct timespec t = {
		.tv_sec = ns / 1000000000,
		.tv_nsec = ns % 1000000000,
	};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void *run(void *arg)
{
	struct worker *w = arg;

	while (now(CLOCK_MONOTONIC) < end) {
		work(draw(w, busy_us));
		rest(draw(w, idle_us));
		w->rounds++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	unsigned long rounds = 0;
	unsigned long seed;
	double seconds;
	int i, threads;

	if (argc < 5) {
		fprintf(stderr, "usage: waves THREADS SECONDS BUSY_US IDLE_US [SEED]\n");
		return 2;
	}
	threads = atoi(argv[1]);
	seconds = atof(argv[2]);
	busy_us = atof(argv[3]);
	idle_us = atof(argv[4]);
	seed = argc > 5 ? strtoul(argv[5], NULL, 10) : 1;
	if (threads < 1 || threads > THREADS_MAX || seconds <= 0 ||
	    busy_us <= 0 || idle_us <= 0) {
		fprintf(stderr, "waves: bad arguments\n");
		return 2;
	}
	end = now(CLOCK_MONOTONIC) + seconds * 1e9;
	for (i = 0; i < threads; i++) {
		workers[i].random = (seed * THREADS_MAX + i + 1) * 0x9e3779b97f4a7c15ULL;
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i])) {
			perror("waves: pthread_create");
			return 1;
		}
	}
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		rounds += workers[i].rounds;
	}
	printf("%.1f\n", rounds / seconds);
	return 0;
}
