// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzz test: writes to newidle's files by several threads at once.
 *
 *	# fuzz WRITES POLICIES SEED
 *	writes=100000 refused=59214 taken=22890 policies=1000 empty=12437 ... wrong=0
 *
 * WRITES of them, of 0 bytes to a page: random bytes; good values, and good
 * values with a byte changed, taken away or put in, a NUL among them; numbers
 * that are huge, signed, or good but for a power of 2^32 or 2^64; words in
 * capitals and in brackets.  At most POLICIES good ones go to policy, since it
 * patches the kernel.  What README.md documents must be taken, all else must be
 * answered with EINVAL, and writing what is read only with EACCES.  Whatever
 * happens, every file reads something documented.
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include "knobs.h"

#define THREADS 4

static unsigned long budget, policy_budget;
static unsigned long refused, taken, policy_taken, empty, readonly, reads, wrongs;
static bool gate;

static void add(unsigned long *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* Takes one of a budget; false if nothing is left. */
static bool spend(unsigned long *left)
{
	unsigned long old = __atomic_load_n(left, __ATOMIC_RELAXED);

	while (old)
		if (__atomic_compare_exchange_n(left, &old, old - 1, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	return false;
}

static void wrong(const struct knob *k, const char *text, size_t len, long got)
{
	size_t i;

	if (__atomic_add_fetch(&wrongs, 1, __ATOMIC_RELAXED) > 20)
		return;
	flockfile(stdout);
	printf("wrong: %s, %zu bytes, got %ld: '", k->name, len, got);
	for (i = 0; i < len && i < 60; i++)
		printf(isprint((unsigned char)text[i]) ? "%c" : "\\x%02x",
		       (unsigned char)text[i]);
	printf("'\n");
	funlockfile(stdout);
}

static size_t random_bytes(uint64_t *state, char *text)
{
	size_t len = below(state, 2) ? below(state, PAGE + 1) : below(state, 12);
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = chance(state) >> 32;
	return len;
}

/* One byte changed, taken away or put in. */
static size_t mutate(uint64_t *state, char *text, size_t len)
{
	static const char likely[] = "\0\n \t+-0x9[]";
	size_t at = below(state, len + 1);
	char byte = below(state, 2) ? likely[below(state, sizeof(likely) - 1)] :
				      (char)(chance(state) >> 32);

	switch (below(state, 3)) {
	case 0:
		text[at] = byte;
		return at == len ? len + 1 : len;
	case 1:
		if (!len)
			return 0;
		memmove(text + at, text + at + 1, len - at);
		return len - 1;
	default:
		memmove(text + at + 1, text + at, len - at);
		text[at] = byte;
		return len + 1;
	}
}

static size_t number(const struct knob *k, uint64_t *state, char *text)
{
	size_t len, i;

	switch (below(state, 5)) {
	case 0:
		return sprintf(text, "%lu", chance(state));
	case 1:
		return sprintf(text, "-%lu", chance(state) % 100000);
	case 2:
		return sprintf(text, "%lu", (1UL << 32) + k->min);
	case 3:
		return sprintf(text, "18446744073709551616");
	default:
		/* Zeros in front are good, if nothing else follows. */
		len = below(state, PAGE + 1);
		memset(text, '0', len);
		for (i = below(state, len + 1); i < len; i++)
			text[i] = '0' + below(state, 10);
		return len;
	}
}

static size_t word(const struct knob *k, uint64_t *state, char *text)
{
	size_t len = good_value(k, state, text + 1), i;

	text[0] = '[';
	text[len + 1] = ']';
	if (below(state, 2))
		return len + 2;
	for (i = 0; i < len; i++)
		text[i] = toupper((unsigned char)text[i + 1]);
	return len;
}

/* Padded with bytes that a careless reader might not see. */
static size_t pad(uint64_t *state, char *text, size_t len)
{
	size_t to = len + below(state, PAGE - len + 1);

	memset(text + len, "\n\0 "[below(state, 3)], to - len);
	return to;
}

static size_t make_up(const struct knob *k, uint64_t *state, char *text)
{
	size_t len;

	switch (below(state, 8)) {
	case 0:
		return 0;
	case 1:
	case 2:
		return random_bytes(state, text);
	case 3:
		return number(k, state, text);
	case 4:
		return word(k, state, text);
	case 5:
		return pad(state, text, good_value(k, state, text));
	case 6:
		return good_value(k, state, text);
	default:
		len = good_value(k, state, text);
		do {
			len = mutate(state, text, len);
		} while (below(state, 2));
		return len;
	}
}

/* What a good one gets: its length, or EOPNOTSUPP for what the engine lacks. */
static void judge(const struct knob *k, const char *text, size_t len, ssize_t got)
{
	const bool lacks = k->unsupported && gate;

	if (k->read_only) {
		add(&readonly);
		if (got != -EACCES)
			wrong(k, text, len, got);
	} else if (!len) {
		add(&empty);
		if (got)
			wrong(k, text, len, got);
	} else if (is_good(k, text, len)) {
		add(k == &files[POLICY] ? &policy_taken : &taken);
		if (got != (lacks ? -EOPNOTSUPP : (ssize_t)len))
			wrong(k, text, len, got);
	} else {
		add(&refused);
		if (got != -EINVAL)
			wrong(k, text, len, got);
	}
}

static void look(const struct knob *k, char *text)
{
	ssize_t len;
	char seen[64];

	if (k->write_only)
		return;
	len = get(k, text);
	add(&reads);
	snprintf(seen, sizeof(seen), "%s", len < 0 ? "" : text);
	if (len < 0 || !is_documented(k, text, len))
		wrong(k, seen, strlen(seen), len);
}

static void *fuzz(void *seed)
{
	/* Small seeds are spread. */
	uint64_t state = (uintptr_t)seed * 0x9e3779b97f4a7c15;
	char text[PAGE + 64];
	const struct knob *k;
	size_t len;

	while (spend(&budget)) {
		/* Mostly what can be written. */
		k = &files[below(&state, below(&state, 16) ? KNOBS : ARRAY_SIZE(files))];
		do {
			len = make_up(k, &state, text);
		} while (k == &files[POLICY] && is_good(k, text, len) &&
			 !spend(&policy_budget));
		judge(k, text, len, put(k, text, len));
		look(&files[below(&state, ARRAY_SIZE(files))], text);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned long writes;
	char text[PAGE + 1];
	uintptr_t seed;
	int i;

	if (argc != 4)
		errx(2, "usage: fuzz WRITES POLICIES SEED");
	writes = budget = strtoul(argv[1], NULL, 10);
	policy_budget = strtoul(argv[2], NULL, 10);
	seed = strtoul(argv[3], NULL, 10);
	if (get(&files[KNOBS], text) < 0)
		errx(1, "no %s%s", DIR, files[KNOBS].name);
	gate = !strncmp(text, "gate", 4);

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, fuzz,
				   (void *)(seed * THREADS + i + 1)))
			errx(2, "can't start a thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < (int)ARRAY_SIZE(files); i++)
		look(&files[i], text);
	printf("writes=%lu refused=%lu taken=%lu policies=%lu empty=%lu readonly=%lu reads=%lu wrong=%lu\n",
	       writes, refused, taken, policy_taken, empty, readonly, reads, wrongs);
	return wrongs ? 1 : 0;
}
