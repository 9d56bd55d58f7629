// SPDX-License-Identifier: GPL-2.0-only
/*
 * The law test's load: a CPU that goes newly idle at a known rate and can never
 * pull anything, so that the number of attempts follows from the policy alone.
 *
 *	# law PERIOD_US WARM_UP SECONDS ENTRIES
 *	period_us=1500 seconds=10.002 idle=5981 attempts=1180 gained=0 ...
 *
 * Needs root, 2 CPUs in one domain, debugfs with sched/verbose on, and
 * schedstats.  Two busy threads, pinned on CPU 0, keep the domain overloaded
 * and can't be pulled; a thread pinned on CPU 1 sleeps for a period again and
 * again.  Each time it makes the kernel forget what new-idle balance has cost:
 * a guest's CPU that is preempted within books milliseconds, and the kernel
 * would then give up before any policy is asked.  All other tasks are moved to
 * CPU 0 for good: this is for guests that are thrown away.
 *
 * Counting starts after WARM_UP idle entries of CPU 1, and takes at least so
 * many SECONDS and ENTRIES.  A pull means that something else ran, for which the
 * law does not hold: then warm-up and counting begin anew.  CPU 1 rests while
 * the books are read, so that the kernel's and newidle's are of the same moment.
 *
 * Output, one line: idle = idle entries of CPU 1; attempts, gained = newly-idle
 * attempts and tasks pulled, by /proc/schedstat; calls, tries, skips, won =
 * newidle's stats/{calls,attempts,skips,pulls}, "-" if unknown; restarts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "books.h"

#define COST_FILES "/sys/kernel/debug/sched/domains/cpu1/domain*/max_newidle_lb_cost"
#define MS 1000000L
#define BUSY_CPU 0
#define IDLE_CPU 1
#define RESTARTS_MAX 10

static long period_ns;

/* Who holds it makes CPU 1 rest. */
static pthread_mutex_t cpu1 = PTHREAD_MUTEX_INITIALIZER;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("can't pin a thread on CPU %d", cpu);
}

static void nap(long ns)
{
	struct timespec t = { ns / (1000 * MS), ns % (1000 * MS) };

	nanosleep(&t, NULL);
}

static void *burn(void *unused)
{
	pin(BUSY_CPU);
	for (;;)
		__asm__ volatile("");
	return unused;
}

/*
 * A file for each of CPU 1's domains: the kernel's opinion of what new-idle
 * balance costs there.
 */
static glob_t cost_files;
static int *cost_fd;

static void open_costs(void)
{
	size_t i;

	if (glob(COST_FILES, 0, NULL, &cost_files))
		die("no %s: write Y to sched/verbose first", COST_FILES);
	cost_fd = calloc(cost_files.gl_pathc, sizeof(*cost_fd));
	if (!cost_fd)
		die("no memory");
	for (i = 0; i < cost_files.gl_pathc; i++) {
		cost_fd[i] = open(cost_files.gl_pathv[i], O_WRONLY);
		if (cost_fd[i] < 0)
			die("can't open %s", cost_files.gl_pathv[i]);
	}
}

static void forget_costs(void)
{
	size_t i;

	for (i = 0; i < cost_files.gl_pathc; i++) {
		if (write(cost_fd[i], "0\n", 2) != 2)
			die("can't write %s", cost_files.gl_pathv[i]);
	}
}

static void *go_idle(void *unused)
{
	pin(IDLE_CPU);
	/* The default slack of 50 us would blur short periods. */
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		pthread_mutex_lock(&cpu1);
		pthread_mutex_unlock(&cpu1);
		forget_costs();
		nap(period_ns);
	}
	return unused;
}

static void start(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		die("can't start a thread");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * Whatever can run on CPU 1 could be pulled there: move it away.  Workers of
 * unbound queues go by the mask of those; what belongs to a CPU refuses and is
 * never pulled.
 */
static void clear_cpu1(void)
{
	FILE *mask = fopen("/sys/devices/virtual/workqueue/cpumask", "w");
	cpu_set_t set;
	glob_t tasks;
	size_t i;

	if (!mask || fprintf(mask, "%x\n", 1 << BUSY_CPU) < 0 || fclose(mask))
		die("can't set the unbound work queues' cpumask");
	CPU_ZERO(&set);
	CPU_SET(BUSY_CPU, &set);
	if (glob("/proc/[0-9]*/task/[0-9]*", 0, NULL, &tasks))
		die("no tasks in /proc");
	for (i = 0; i < tasks.gl_pathc; i++)
		sched_setaffinity(atoi(strrchr(tasks.gl_pathv[i], '/') + 1),
				  sizeof(set), &set);
	globfree(&tasks);
}

/* Both books of one moment; CPU 1 rests from here on. */
static double rest_and_read(struct books *b)
{
	struct books again;
	double stopped;

	pthread_mutex_lock(&cpu1);
	stopped = now();
	nap(period_ns + MS);
	read_books(IDLE_CPU, &again);
	do {
		*b = again;
		nap(MS);
		read_books(IDLE_CPU, &again);
	} while (again.idle != b->idle || again.attempts != b->attempts);
	return stopped;
}

static double go_on(void)
{
	pthread_mutex_unlock(&cpu1);
	return now();
}

/* Until both are reached; false as soon as there was a pull. */
static bool run(const struct books *from, long long entries, double end)
{
	struct books b;

	do {
		nap(100 * MS);
		read_schedstat(IDLE_CPU, &b);
		if (b.gained != from->gained)
			return false;
	} while (b.idle - from->idle < entries || now() < end);
	return true;
}

static void report(const struct books *a, const struct books *b,
		   double seconds, int restarts)
{
	printf("period_us=%ld seconds=%.3f", period_ns / 1000, seconds);
	print_change("idle", a->idle, b->idle);
	print_change("attempts", a->attempts, b->attempts);
	print_change("gained", a->gained, b->gained);
	print_change("calls", a->calls, b->calls);
	print_change("tries", a->tries, b->tries);
	print_change("skips", a->skips, b->skips);
	print_change("won", a->won, b->won);
	printf(" restarts=%d\n", restarts);
}

int main(int argc, char **argv)
{
	struct books a, b;
	double begin, seconds, end;
	long long warm_up, entries;
	int restarts;

	if (argc != 5)
		die("usage: law PERIOD_US WARM_UP SECONDS ENTRIES");
	period_ns = atol(argv[1]) * 1000;
	warm_up = atoll(argv[2]);
	seconds = atof(argv[3]);
	entries = atoll(argv[4]);
	if (period_ns <= 0 || warm_up <= 0 || seconds <= 0 || entries <= 0)
		die("all four must be positive numbers");

	clear_cpu1();
	open_costs();
	start(burn);
	start(burn);
	start(go_idle);

	for (restarts = 0; restarts <= RESTARTS_MAX; restarts++) {
		read_schedstat(IDLE_CPU, &a);
		if (!run(&a, warm_up, 0))
			continue;
		rest_and_read(&a);
		begin = go_on();
		if (!run(&a, entries, begin + seconds))
			continue;
		end = rest_and_read(&b);
		if (b.gained == a.gained) {
			report(&a, &b, end - begin, restarts);
			return 0;
		}
		go_on();
	}
	die("tasks were pulled in each of %d runs", restarts);
}
