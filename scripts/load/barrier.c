// SPDX-License-Identifier: GPL-2.0-only
/*
 * A barrier at each step, as in numerical codes: each thread has a share of the
 * work, and those that are done sleep until the last one is.  A CPU goes idle
 * rarely, for long, and hardly ever finds a task to pull; but a thread that waits
 * behind another one holds up all.
 */
#include <pthread.h>
#include "load.h"

static const char usage[] =
	"usage: newidle-barrier [-t THREADS] [-s STEP_US] [-i IMBALANCE_PCT] [-d SECONDS]\n"
	"\n"
	"Threads (one for each CPU) that meet at a barrier after each step (300 us of\n"
	"CPU time, for each thread up to 10 percent more or less).  After so long (10 s)\n"
	"prints the steps a second.\n";

static pthread_barrier_t barrier;
static double step_ns = 300e3, imbalance = 0.1;
static uint64_t steps, end;
static int stop;

static void *run(void *arg)
{
	uint64_t dice = (uint64_t)(uintptr_t)arg * 0x9e3779b97f4a7c15ULL;

	for (;;) {
		work((uint64_t)(step_ns * (1 + imbalance * (2 * uniform(&dice) - 1))));
		/* One of them keeps the books, while the others wait. */
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			steps++;
			stop = now(CLOCK_MONOTONIC) >= end;
		}
		pthread_barrier_wait(&barrier);
		if (stop)
			return NULL;
	}
}

int main(int argc, char **argv)
{
	static pthread_t thread[THREADS_MAX];
	unsigned int threads = cpus(), i;
	double seconds = 10, took;
	uint64_t begin;
	int c;

	while ((c = getopt(argc, argv, "t:s:i:d:h")) != -1) {
		switch (c) {
		case 't':
			threads = (unsigned int)number(optarg, 1, THREADS_MAX);
			break;
		case 's':
			step_ns = 1e3 * number(optarg, 1, 1e6);
			break;
		case 'i':
			imbalance = number(optarg, 0, 100) / 100;
			break;
		case 'd':
			seconds = number(optarg, 0.1, 86400);
			break;
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (pthread_barrier_init(&barrier, NULL, threads))
		return 1;
	begin = now(CLOCK_MONOTONIC);
	end = begin + (uint64_t)(seconds * 1e9);
	for (i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)(i + 1))) {
			fprintf(stderr, "no more threads than %u\n", i);
			return 1;
		}
	}
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	took = (double)(now(CLOCK_MONOTONIC) - begin) / 1e9;
	printf("steps/s: %.2f\n", (double)steps / took);
	return 0;
}
