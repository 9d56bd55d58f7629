// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of the tracing ring buffer as trace_pipe_raw gives them, on x86-64.
 *
 * A page begins with the time of its first event (8 bytes) and how much is in it
 * (8 bytes, with flags).  An event begins with 32 bits: its kind or length (5),
 * and the time since the event before (27).  This has been so since Linux 3, and
 * is what libtraceevent reads too; include/linux/ring_buffer.h has the kinds.
 */
#include <stdio.h>
#include <string.h>
#include "ring.h"

#define PAGE_HEAD	16

/* Of what is in a page. */
#define COMMIT_MASK	((1U << 27) - 1)
#define MISSED		(1U << 31)

/* Kinds of events; less is a length in words, 0 one that follows. */
#define PADDING		29
#define TIME_EXTEND	30
#define TIME_STAMP	31

#define DELTA_SHIFT	27

static uint32_t word(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* Bytes of an event behind its first word; false if they are not all there. */
static bool length_of(const uint8_t *p, const uint8_t *end, size_t *length)
{
	const uint32_t kind = word(p) & 31;
	uint32_t more;

	if (kind && kind < PADDING) {
		*length = 4 * kind;
	} else {
		if (end - p < 8)
			return false;
		more = word(p + 4);
		if (kind == TIME_EXTEND || kind == TIME_STAMP)
			*length = 4;
		else if (kind == PADDING)
			*length = more;
		else
			*length = ((size_t)more + 3) & ~(size_t)3;
	}
	return *length <= (size_t)(end - p) - 4;
}

/**
 * ring_page() - go through the events of a page
 * @page: the page
 * @size: how much of it was read
 * @seen: called for each event
 * @context: given to it
 * @missed: set if events were lost before this page
 *
 * Return: false if it does not look like a page.
 */
bool ring_page(const uint8_t *page, size_t size, event_fn *seen, void *context,
	       bool *missed)
{
	struct event_seen e;
	const uint8_t *p, *end;
	size_t length;
	uint32_t head;

	if (size < PAGE_HEAD)
		return false;
	memcpy(&e.time, page, 8);
	head = word(page + 8);
	*missed = head & MISSED;
	if ((head & COMMIT_MASK) > size - PAGE_HEAD)
		return false;
	p = page + PAGE_HEAD;
	end = p + (head & COMMIT_MASK);
	for (; end - p >= 4; p += 4 + length) {
		const uint32_t kind = word(p) & 31, delta = word(p) >> 5;

		/* The rest of the page was never used. */
		if (kind == PADDING && !delta)
			return true;
		if (!length_of(p, end, &length))
			return false;
		if (kind == TIME_STAMP) {
			/* Its top bits are those of the page's time. */
			e.time = (e.time & ~((1ULL << 59) - 1)) |
				 ((uint64_t)word(p + 4) << DELTA_SHIFT) | delta;
			continue;
		}
		e.time += delta;
		if (kind == TIME_EXTEND)
			e.time += (uint64_t)word(p + 4) << DELTA_SHIFT;
		if (kind >= PADDING)
			continue;
		e.data = p + (kind ? 4 : 8);
		e.size = length - (kind ? 0 : 4);
		/* A length of its own counts the word that it is in. */
		if (!kind && length < 4)
			return false;
		seen(context, &e);
	}
	return true;
}

/**
 * field_find() - where a field is
 * @format: text of a file "format" of tracefs
 * @name: the field's
 * @f: filled
 *
 * Return: false if there is no such field.
 */
bool field_find(const char *format, const char *name, struct field *f)
{
	const size_t n = strlen(name);
	const char *begin, *at, *end;

	for (begin = strstr(format, "field:"); begin; begin = strstr(end, "field:")) {
		end = strchr(begin, ';');
		if (!end)
			break;
		/* "field:char level[8];" */
		at = memchr(begin, '[', (size_t)(end - begin)) ?: end;
		at -= n;
		if (at - begin <= (ptrdiff_t)strlen("field:") || at[-1] != ' ' ||
		    strncmp(at, name, n))
			continue;
		if (sscanf(end, "; offset:%zu; size:%zu", &f->offset, &f->size) == 2)
			return true;
	}
	f->size = 0;
	return false;
}

/**
 * field_value() - a number in an event
 * @e: the event
 * @f: the field
 *
 * Return: it, without a sign; 0 if it is not all there.
 */
uint64_t field_value(const struct event_seen *e, const struct field *f)
{
	uint64_t value = 0;

	if (f->size > sizeof(value) || f->offset > e->size ||
	    f->size > e->size - f->offset)
		return 0;
	memcpy(&value, e->data + f->offset, f->size);
	return value;
}
