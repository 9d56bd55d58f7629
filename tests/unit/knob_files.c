// SPDX-License-Identifier: GPL-2.0-only
/*
 * A make-believe /sys/kernel/newidle for tests/vm/load/fuzz.c, whose open(), read(),
 * write() and close() are the ones below.  It takes and reads what README.md
 * documents, but for the one fault that $FAULT names.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#define DIR "/sys/kernel/newidle/"
#define FIRST_FD 1000
#define TEXT 128

int files_open(const char *path, int flags);
ssize_t files_read(int fd, void *buf, size_t size);
ssize_t files_write(int fd, const void *buf, size_t len);
int files_close(int fd);

/* A file holds a number from least to most, or one of some words, or it is fixed. */
static struct file {
	const char *name, *words;
	unsigned long least, most;
	bool power, fixed, write_only;
	char text[TEXT];
} files[] = {
	{ "policy", "stock always random bresenham value", .text = "random" },
	{ "max_level", "smt llc node all", .text = "all" },
	{ "rate", NULL, 0, 1, .text = "1" },
	{ "rate_shift", NULL, 16, 34, .text = "22" },
	{ "window", NULL, 64, 65536, .power = true, .text = "1024" },
	{ "retry", NULL, 0, 1, .text = "0" },
	{ "retry_idle_pct", NULL, 1, 100, .text = "50" },
	{ "value_cost_pct", NULL, 1, 10000, .text = "100" },
	{ "cost_bump", NULL, 0, 1, .text = "0" },
	{ "reset", NULL, 1, 1, .write_only = true },
	{ "engine", .fixed = true, .text = "swap" },
	{ "state", .fixed = true, .text = "active" },
	{ "native", .fixed = true, .text = "none" },
	{ "version", .fixed = true, .text = "1.2.3 0123456789ABCDEF" },
	{ "stats/calls", .fixed = true, .text = "12" },
	{ "stats/attempts", .fixed = true, .text = "7" },
	{ "stats/skips", .fixed = true, .text = "-" },
	{ "stats/pulls", .fixed = true, .text = "3" },
	{ "stats/retries", .fixed = true, .text = "0" },
	{ "stats/retry_pulls", .fixed = true, .text = "0" },
	{ "stats/cost_ns", .fixed = true, .text = "18446744073709551615" },
};
#define NR_FILES (sizeof(files) / sizeof(files[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool fault(const char *name)
{
	const char *wanted = getenv("FAULT");

	return wanted && !strcmp(wanted, name);
}

static bool is_gate(void)
{
	const char *engine = getenv("ENGINE");

	return engine && !strcmp(engine, "gate");
}

/* What of these bytes counts. */
static size_t trim(const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	if (fault("more-newlines"))
		while (len && text[len - 1] == '\n')
			len--;
	if (fault("blanks"))
		while (len && isspace((unsigned char)text[len - 1]))
			len--;
	if (fault("nul") && memchr(text, 0, len))
		len = strnlen(text, len);
	return len;
}

/* One of the words? */
static bool is_word(const char *words, const char *text, size_t len)
{
	const char *at = words;
	size_t n;

	if (fault("brackets") && len > 1 && *text == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	for (; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		if (fault("prefix") ? len && len < n && !memcmp(at, text, len) : false)
			return true;
		if (n == len && !(fault("case") ? strncasecmp(at, text, n) :
						  memcmp(at, text, n)))
			return true;
	}
	return false;
}

static bool is_number(const struct file *f, const char *text, size_t len)
{
	unsigned long value = 0, limit = ~0UL / 10 - 1;
	size_t i = 0;

	if (fault("sign") && len && *text == '+')
		i++;
	if (i == len)
		return false;
	for (; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		if (value < limit || fault("wraps-at-64"))
			value = 10 * value + (unsigned long)(text[i] - '0');
	}
	if (fault("wraps-at-32"))
		value = (unsigned int)value;
	if (f->power && (value & (value - 1)) && !fault("any-window"))
		return false;
	return (value >= f->least || fault("too-small")) &&
	       (value <= f->most || fault("too-large"));
}

/* The number as the kernel prints it. */
static void keep(struct file *f, const char *text, size_t len)
{
	while (!f->words && len > 1 && *text == '0' && !fault("zeros-stay")) {
		text++;
		len--;
	}
	if (len >= TEXT)
		len = TEXT - 1;
	memcpy(f->text, text, len);
	f->text[len] = '\0';
}

static ssize_t take(struct file *f, const char *text, size_t len)
{
	const size_t all = len;

	if (!len)
		return fault("nothing-is-bad") ? -EINVAL : 0;
	if (f == &files[8] && is_gate() && fault("gate-takes-it"))
		return (ssize_t)all;
	len = trim(text, len);
	if (f->words ? !is_word(f->words, text, len) : !is_number(f, text, len))
		return fault("error") ? -ERANGE : -EINVAL;
	if (f == &files[8] && is_gate())
		return -EOPNOTSUPP;
	if (fault("refuses-some") && f == &files[3] && len == 2 && text[1] == '7')
		return -EINVAL;
	keep(f, text, len);
	return (ssize_t)(fault("short") ? len : all);
}

/* All words, the chosen one in brackets. */
static int list(const struct file *f, char *to)
{
	const char *at = f->words;
	bool chosen;
	char *p = to;
	size_t n;

	for (; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		chosen = n == strlen(f->text) && !memcmp(at, f->text, n);
		if (fault("two-brackets") && at == f->words)
			chosen = true;
		if (fault("no-brackets"))
			chosen = false;
		p += sprintf(p, chosen ? "[%.*s]%s" : "%.*s%s", (int)n, at,
			     at[n] ? " " : "\n");
	}
	return (int)(p - to);
}

static int show(const struct file *f, char *to)
{
	const char *end = fault("no-newline") ? "" : "\n";

	if (fault("unknown-state") && f == &files[11])
		return sprintf(to, "asleep\n");
	if (fault("empty-version") && f == &files[13])
		return sprintf(to, "\n");
	if (fault("negative-count") && f == &files[17])
		return sprintf(to, "-1\n");
	if (f == &files[10] && is_gate())
		return sprintf(to, "gate\n");
	if (f == &files[8] && is_gate())
		return sprintf(to, "unsupported\n");
	return f->words ? list(f, to) : sprintf(to, "%s%s", f->text, end);
}

int files_open(const char *path, int flags)
{
	const bool writes = (flags & O_ACCMODE) == O_WRONLY;
	unsigned int i;

	for (i = 0; i < NR_FILES; i++) {
		if (strncmp(path, DIR, strlen(DIR)) ||
		    strcmp(path + strlen(DIR), files[i].name))
			continue;
		if (writes ? files[i].fixed && !fault("all-writable") :
			     files[i].write_only) {
			errno = EACCES;
			return -1;
		}
		return FIRST_FD + (int)i;
	}
	errno = ENOENT;
	return -1;
}

ssize_t files_read(int fd, void *buf, size_t size)
{
	char text[TEXT];
	int len;

	pthread_mutex_lock(&lock);
	len = show(&files[fd - FIRST_FD], text);
	pthread_mutex_unlock(&lock);
	if ((size_t)len > size)
		len = (int)size;
	memcpy(buf, text, (size_t)len);
	return len;
}

ssize_t files_write(int fd, const void *buf, size_t len)
{
	struct file *f = &files[fd - FIRST_FD];
	ssize_t n;

	pthread_mutex_lock(&lock);
	n = f->fixed ? (ssize_t)len : take(f, buf, len);
	pthread_mutex_unlock(&lock);
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

int files_close(int fd)
{
	return fd < FIRST_FD ? -1 : 0;
}
