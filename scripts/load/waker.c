// SPDX-License-Identifier: GPL-2.0-only
/*
 * One thread wakes many that are each bound to a CPU, as a server's dispatcher
 * does: very many CPUs go idle for a short time, and none of what is queued
 * elsewhere may be pulled.  What looking for it costs is lost.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "load.h"

static const char usage[] =
	"usage: newidle-waker [-w WORKERS] [-b BATCH] [-u WORK_US] [-d SECONDS]\n"
	"\n"
	"One thread wakes workers (four for each CPU, bound to them in turn) that sleep,\n"
	"so many at a time (16); each then works for so long (10 us of CPU time) and\n"
	"sleeps again.  After so long (10 s) prints what they completed in a second.\n";

/* What a worker does, or is to do. */
#define SLEEPS	0
#define WORKS	1
#define ENDS	2

struct worker {
	pthread_t thread;
	_Atomic uint32_t state;
	_Atomic uint64_t done;
	/* Each is on cache lines of its own. */
	char unused[128];
};

static struct worker worker[THREADS_MAX];
static uint64_t work_ns = 10000;
static cpu_set_t allowed;

static void bind_to(unsigned int n)
{
	unsigned int left = n % (unsigned int)CPU_COUNT(&allowed), cpu;
	cpu_set_t one;

	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || left--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void *run(void *arg)
{
	struct worker *w = arg;

	bind_to((unsigned int)(w - worker));
	for (;;) {
		const uint32_t state = atomic_load(&w->state);

		if (state == ENDS)
			return NULL;
		if (state == SLEEPS) {
			syscall(SYS_futex, &w->state, FUTEX_WAIT_PRIVATE, SLEEPS, NULL, NULL, 0);
			continue;
		}
		work(work_ns);
		atomic_fetch_add(&w->done, 1);
		/* Unless it is to end. */
		atomic_compare_exchange_strong(&w->state, &(uint32_t){ WORKS }, SLEEPS);
	}
}

static void wake(struct worker *w, uint32_t state)
{
	atomic_store(&w->state, state);
	syscall(SYS_futex, &w->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Once around: wake those that sleep, at most so many. */
static unsigned int wake_some(unsigned int workers, unsigned int batch)
{
	static unsigned int next;
	unsigned int looked, woken = 0;

	for (looked = 0; looked < workers && woken < batch; looked++) {
		struct worker *w = &worker[next++ % workers];

		if (atomic_load(&w->state) != SLEEPS)
			continue;
		wake(w, WORKS);
		woken++;
	}
	return woken;
}

int main(int argc, char **argv)
{
	unsigned int workers = 4 * cpus(), batch = 16, i;
	double seconds = 10, took;
	uint64_t begin, end, done = 0;
	int c;

	while ((c = getopt(argc, argv, "w:b:u:d:h")) != -1) {
		switch (c) {
		case 'w':
			workers = (unsigned int)number(optarg, 1, THREADS_MAX);
			break;
		case 'b':
			batch = (unsigned int)number(optarg, 1, THREADS_MAX);
			break;
		case 'u':
			work_ns = (uint64_t)(1e3 * number(optarg, 0.1, 1e6));
			break;
		case 'd':
			seconds = number(optarg, 0.1, 86400);
			break;
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		perror("newidle-waker");
		return 1;
	}
	for (i = 0; i < workers; i++) {
		if (pthread_create(&worker[i].thread, NULL, run, &worker[i])) {
			fprintf(stderr, "no more threads than %u\n", i);
			return 1;
		}
	}
	begin = now(CLOCK_MONOTONIC);
	end = begin + (uint64_t)(seconds * 1e9);
	while (now(CLOCK_MONOTONIC) < end)
		if (!wake_some(workers, batch))
			sched_yield();
	took = (double)(now(CLOCK_MONOTONIC) - begin) / 1e9;
	for (i = 0; i < workers; i++)
		done += atomic_load(&worker[i].done);
	for (i = 0; i < workers; i++) {
		wake(&worker[i], ENDS);
		pthread_join(worker[i].thread, NULL);
	}
	printf("completions/s: %.1f\n", (double)done / took);
	return 0;
}
