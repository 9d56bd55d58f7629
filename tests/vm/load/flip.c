// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stress test's hands: writes and reads newidle's files without a pause,
 * whether the module is there or not.
 *
 *	# flip STOP KNOBS_PER_SECOND
 *	flips=5977 bad=2894 policies=1520 policy_ms=58120 reads=51233 pulls=804 wrong=0
 *
 * Until the file STOP exists: one thread writes a random value, good or bad, to
 * a random knob but policy, so many times a second; one writes policy as fast as
 * it goes, every other time stock; one reads all files, and debugfs.  A good
 * value must be taken and a bad one answered with EINVAL, and what is read must
 * be documented; what is not is printed, and makes it fail.
 *
 * flips counts writes while the module was there, bad those of a bad value,
 * policies changes of policy while it was active, policy_ms their time; pulls is the
 * growth of stats/pulls over loads and resets, as far as it was seen.
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <time.h>
#include "knobs.h"

#define SECOND 1000000000L
#define DOMAINS "/sys/kernel/debug/newidle/domains"
#define DOMAIN_COLUMNS 22

static const char *stop;
static long knob_period;
static unsigned long flips, bads, changes, policy_ns, reads, pulls, wrongs;

static bool goes_on(void)
{
	return access(stop, F_OK) != 0;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void sleep_until(int64_t when)
{
	struct timespec t = { when / SECOND, when % SECOND };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void wrong(const struct knob *k, const char *text, long got)
{
	if (__atomic_add_fetch(&wrongs, 1, __ATOMIC_RELAXED) <= 20)
		printf("wrong: %s: '%.100s': %ld\n", k->name, text, got);
}

/* It comes and goes. */
static bool is_away(ssize_t got)
{
	return got == -ENOENT || got == -ENODEV || got == -ESHUTDOWN;
}

/* Returns false if the module was not there to take it. */
static bool flip(const struct knob *k, const char *text, size_t len)
{
	ssize_t got = put(k, text, len);

	if (is_away(got))
		return false;
	if (is_good(k, text, len)) {
		if (got != (ssize_t)len && !(k->unsupported && got == -EOPNOTSUPP))
			wrong(k, text, got);
	} else {
		__atomic_add_fetch(&bads, 1, __ATOMIC_RELAXED);
		if (got != -EINVAL)
			wrong(k, text, got);
	}
	return true;
}

/* Near a good one, so that only a careful reader refuses it. */
static size_t bad_value(const struct knob *k, uint64_t *state, char *text)
{
	size_t len = good_value(k, state, text);

	switch (below(state, 5)) {
	case 0:
		text[len++] = 'x';
		return len;
	case 1:
		text[len++] = '\0';
		return len;
	case 2:
		return sprintf(text, "-%lu", 1 + below(state, 100));
	case 3:
		return sprintf(text, "%lu", k->max + 1 + below(state, 1000000));
	default:
		/* The same modulo 2^32. */
		return sprintf(text, "%lu", (1UL << 32) + k->max);
	}
}

static void *flip_knobs(void *unused)
{
	const struct knob *k;
	uint64_t state = now() | 1;
	int64_t when = now();
	char text[64];
	size_t len;

	for (; goes_on(); when += knob_period) {
		sleep_until(when);
		k = &files[1 + below(&state, KNOBS - 1)];
		len = below(&state, 2) ? good_value(k, &state, text) :
					 bad_value(k, &state, text);
		if (flip(k, text, len))
			flips++;
		else
			when = now();
	}
	return unused;
}

/* In a transition a new policy is only remembered. */
static bool is_active(void)
{
	static char text[PAGE + 1];

	return get(&files[STATE], text) > 0 && !strcmp(text, "active\n");
}

static void *flip_policy(void *unused)
{
	const struct knob *k = &files[POLICY];
	uint64_t state = now() | 1;
	int64_t begin, end = now();
	bool stock = false, active;
	unsigned long other;
	char text[64];

	while (goes_on()) {
		/* Where nothing is patched it is too fast to leave others time. */
		sleep_until(end + SECOND / 1000);
		begin = end;
		stock = !stock;
		other = 1 + below(&state, nr_choices(k) - 1);
		strcpy(text, policies[stock ? 0 : other]);
		active = is_active();
		active = flip(k, text, strlen(text)) && active;
		end = now();
		if (active) {
			changes++;
			policy_ns += end - begin;
		}
	}
	return unused;
}

static void see_pulls(const char *text)
{
	static unsigned long last;
	unsigned long this = strtoul(text, NULL, 10);

	pulls += this > last ? this - last : 0;
	last = this;
}

/* Every line whole. */
static void read_domains(void)
{
	static const struct knob k = { .name = "domains" };
	FILE *f = fopen(DOMAINS, "r");
	char line[512], copy[512];
	int words;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		strcpy(copy, line);
		words = 0;
		for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
			words++;
		if (words != DOMAIN_COLUMNS + (line[0] == '#') || !strchr(line, '\n'))
			wrong(&k, line, words);
	}
	if (!ferror(f))
		reads++;
	fclose(f);
}

static void *read_all(void *unused)
{
	static char text[PAGE + 1], seen[PAGE + 1];
	const struct knob *k;
	ssize_t len;

	while (goes_on()) {
		for (k = files; k < files + ARRAY_SIZE(files); k++) {
			if (k->write_only)
				continue;
			len = get(k, text);
			if (is_away(len))
				continue;
			memcpy(seen, text, sizeof(text));
			if (len < 0 || !is_documented(k, text, len))
				wrong(k, len < 0 ? "" : seen, len);
			else if (!strcmp(k->name, "stats/pulls"))
				see_pulls(text);
			reads++;
		}
		read_domains();
		sleep_until(now() + SECOND / 100);
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const hands[])(void *) = { flip_knobs, flip_policy, read_all };
	pthread_t threads[ARRAY_SIZE(hands)];
	size_t i;

	if (argc != 3 || atol(argv[2]) <= 0)
		errx(2, "usage: flip STOP KNOBS_PER_SECOND");
	stop = argv[1];
	knob_period = SECOND / atol(argv[2]);
	for (i = 0; i < ARRAY_SIZE(hands); i++)
		if (pthread_create(&threads[i], NULL, hands[i], NULL))
			errx(2, "can't start a thread");
	for (i = 0; i < ARRAY_SIZE(hands); i++)
		pthread_join(threads[i], NULL);
	printf("flips=%lu bad=%lu policies=%lu policy_ms=%lu reads=%lu pulls=%lu wrong=%lu\n",
	       flips, bads, changes, policy_ns / 1000000, reads, pulls, wrongs);
	return wrongs ? 1 : 0;
}
