/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/newidle as README.md documents it: what each file takes and what
 * it may read; and chance.  For one .c file.
 */
#ifndef KNOBS_H
#define KNOBS_H

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIR "/sys/kernel/newidle/"
#define PAGE 4096
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct knob - a file, and its values
 * @name: of the file
 * @choices: names, or NULL
 * @min: smallest number
 * @max: largest number
 * @power_of_two: only powers of two are good
 * @unsupported: under engine gate it reads so
 * @write_only: it reads nothing
 * @read_only: nobody may write it
 */
struct knob {
	const char *name;
	const char *const *choices;
	unsigned long min, max;
	bool power_of_two, unsupported, write_only, read_only;
};

static const char *const policies[] = { "stock", "always", "random",
					"bresenham", "value", NULL };

static const char *const levels[] = { "smt", "llc", "node", "all", NULL };
static const char *const engines[] = { "swap", "gate", NULL };
static const char *const natives[] = { "none", "random", "random+rate", NULL };

static const char *const states[] = { "transition", "active", "shadowed",
				      "evicted", "disabled", "transparent",
				      NULL };

/* The first ones may be written; POLICY patches the kernel's text. */
#define POLICY 0
#define KNOBS 10
#define STATE 11

static const struct knob files[] = {
	[POLICY] = { "policy", .choices = policies },
	{ "max_level", .choices = levels },
	{ "rate", .max = 1 },
	{ "rate_shift", .min = 16, .max = 34 },
	{ "window", .min = 64, .max = 65536, .power_of_two = true },
	{ "retry", .max = 1 },
	{ "retry_idle_pct", .min = 1, .max = 100 },
	{ "value_cost_pct", .min = 1, .max = 10000 },
	{ "cost_bump", .max = 1, .unsupported = true },
	{ "reset", .min = 1, .max = 1, .write_only = true },
	{ "engine", .choices = engines, .read_only = true },
	[STATE] = { "state", .choices = states, .read_only = true },
	{ "native", .choices = natives, .read_only = true },
	{ "version", .read_only = true },
	{ "stats/calls", .read_only = true },
	{ "stats/attempts", .read_only = true },
	{ "stats/skips", .read_only = true },
	{ "stats/pulls", .read_only = true },
	{ "stats/retries", .read_only = true },
	{ "stats/retry_pulls", .read_only = true },
	{ "stats/cost_ns", .read_only = true },
};

/* One state for each thread; never 0. */
static inline uint64_t chance(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* 0 ... n - 1 */
static inline unsigned long below(uint64_t *state, unsigned long n)
{
	return (chance(state) >> 11) % n;
}

static inline unsigned int nr_choices(const struct knob *k)
{
	unsigned int n = 0;

	while (k->choices[n])
		n++;
	return n;
}

static inline bool is_number(const struct knob *k, const char *text, size_t len)
{
	unsigned long value = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		/* Huge ones stay huge. */
		if (value < UINT32_MAX)
			value = 10 * value + text[i] - '0';
	}
	return len && value >= k->min && value <= k->max &&
	       !(k->power_of_two && (value & (value - 1)));
}

/* Does the knob take these bytes?  One newline at the end doesn't matter. */
static inline bool is_good(const struct knob *k, const char *text, size_t len)
{
	unsigned int i;

	if (len && text[len - 1] == '\n')
		len--;
	if (!k->choices)
		return is_number(k, text, len);
	for (i = 0; k->choices[i]; i++)
		if (strlen(k->choices[i]) == len && !memcmp(text, k->choices[i], len))
			return true;
	return false;
}

/* A value that it takes; returns its length. */
static inline size_t good_value(const struct knob *k, uint64_t *state, char *text)
{
	unsigned long value;

	if (k->choices)
		return sprintf(text, "%s", k->choices[below(state, nr_choices(k))]);
	if (k->power_of_two)
		value = 1UL << (6 + below(state, 11));
	else
		value = k->min + below(state, k->max - k->min + 1);
	return sprintf(text, "%lu", value);
}

/* "a [b] c": all choices, one of them in brackets. */
static inline bool is_choice_list(const struct knob *k, const char *text)
{
	unsigned int chosen = 0, i;
	const char *at = text;
	char word[32];

	for (i = 0; k->choices[i]; i++) {
		snprintf(word, sizeof(word), "[%s]", k->choices[i]);
		if (!strncmp(at, word, strlen(word))) {
			chosen++;
			at += strlen(word);
		} else if (!strncmp(at, k->choices[i], strlen(k->choices[i]))) {
			at += strlen(k->choices[i]);
		} else {
			return false;
		}
		if (*at++ != (k->choices[i + 1] ? ' ' : '\0'))
			return false;
	}
	return chosen == 1;
}

static inline bool is_version(const char *text)
{
	int major, minor, patch, end = 0;
	const char *source;

	if (sscanf(text, "%d.%d.%d %n", &major, &minor, &patch, &end) != 3 || !end)
		return false;
	source = text + end;
	return *source && strspn(source, "0123456789ABCDEF") == strlen(source);
}

/* May the file read so?  Changes @text: one newline at the end goes. */
static inline bool is_documented(const struct knob *k, char *text, size_t len)
{
	if (!len || text[len - 1] != '\n' || strlen(text) != len)
		return false;
	text[--len] = '\0';
	if (k->unsupported && !strcmp(text, "unsupported"))
		return true;
	if (!strcmp(k->name, "version"))
		return is_version(text);
	if (!strncmp(k->name, "stats/", 6))
		return !strcmp(text, "-") ||
		       strspn(text, "0123456789") == strlen(text);
	if (k->choices && !k->read_only)
		return is_choice_list(k, text);
	/* The kernel's number has no zeros in front. */
	if (!k->choices && len > 1 && text[0] == '0')
		return false;
	return is_good(k, text, len);
}

/* Returns a descriptor, or an error below 0. */
static inline int open_file(const struct knob *k, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), DIR "%s", k->name);
	fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

/* One write(2).  Returns what it wrote, or an error below 0. */
static inline ssize_t put(const struct knob *k, const char *text, size_t len)
{
	int fd = open_file(k, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = write(fd, text, len);
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

/* All of the file, with a NUL behind it.  Returns its length, or an error. */
static inline ssize_t get(const struct knob *k, char *text)
{
	int fd = open_file(k, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, text, PAGE);
	if (n < 0)
		n = -errno;
	else
		text[n] = '\0';
	close(fd);
	return n;
}

#endif /* KNOBS_H */
