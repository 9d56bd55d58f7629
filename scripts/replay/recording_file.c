// SPDX-License-Identifier: GPL-2.0-only
/* Recordings as files, and the text in them: see recording.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "recording.h"

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL, *more;
	size_t room = 0, got;
	struct stat st;

	*size = 0;
	if (!f)
		return NULL;
	if (!fstat(fileno(f), &st) && st.st_size > 0)
		room = (size_t)st.st_size + 1;
	/* Room for one more byte than there is tells the end. */
	for (;;) {
		if (!data || *size == room) {
			room = data ? 2 * room : room ? room : 65536;
			more = realloc(data, room);
			if (!more)
				break;
			data = more;
		}
		got = fread(data + *size, 1, room - *size, f);
		*size += got;
		if (!got && !ferror(f)) {
			fclose(f);
			return data;
		}
		if (!got)
			break;
	}
	got = (size_t)errno;
	free(data);
	fclose(f);
	errno = (int)got;
	return NULL;
}

/**
 * recording_read() - read a file
 * @r: see recording_parse()
 * @path: its name
 *
 * Return: see recording_parse().
 */
bool recording_read(struct recording *r, const char *path)
{
	size_t size;
	uint8_t *data = read_file(path, &size);
	bool good;

	if (!data) {
		memset(r, 0, sizeof(*r));
		snprintf(r->damage, sizeof(r->damage), "%s", strerror(errno));
		return false;
	}
	good = recording_parse(r, data, size);
	free(data);
	return good;
}

/**
 * recording_free() - give its memory back
 * @r: the recording
 */
void recording_free(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->nr_cpus; i++)
		free(r->cpu[i].event);
	free(r->cpu);
	free(r->head);
	free(r->tail);
	memset(r, 0, sizeof(*r));
}

/**
 * recording_line() - the next line of a text
 * @line: one of its lines
 *
 * Return: it, or NULL.
 */
const char *recording_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

/**
 * recording_value() - what the head, or the tail, says
 * @text: lines "KEY VALUE"; may be NULL
 * @key: the key
 * @length: set to the value's length
 *
 * Return: the value, or NULL if there is none.
 */
const char *recording_value(const char *text, const char *key, size_t *length)
{
	const size_t n = strlen(key);

	*length = 0;
	for (; text; text = recording_line(text)) {
		if (strncmp(text, key, n) || text[n] != ' ')
			continue;
		*length = strcspn(text + n + 1, "\n");
		return text + n + 1;
	}
	return NULL;
}

/**
 * recording_number() - a number that the tail says
 * @r: the recording
 * @key: its key
 * @value: set to it
 *
 * Return: false if the tail does not say it.
 */
bool recording_number(const struct recording *r, const char *key,
		      uint64_t *value)
{
	size_t length;
	const char *text = recording_value(r->tail, key, &length);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 10);
	return end == text + length;
}
