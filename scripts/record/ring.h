/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the tracing ring buffer, and the fields of the events in them. */
#ifndef NEWIDLE_RING_H
#define NEWIDLE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct field - where something is in an event
 * @offset: from its beginning
 * @size: in bytes; 0: it is not there
 */
struct field {
	size_t offset, size;
};

/**
 * struct event_seen - an event in a page
 * @time: ns
 * @data: its fields
 * @size: of them all
 */
struct event_seen {
	uint64_t time;
	const uint8_t *data;
	size_t size;
};

typedef void event_fn(void *context, const struct event_seen *e);

bool ring_page(const uint8_t *page, size_t size, event_fn *seen, void *context,
	       bool *missed);

bool field_find(const char *format, const char *name, struct field *f);
uint64_t field_value(const struct event_seen *e, const struct field *f);

#endif /* NEWIDLE_RING_H */
