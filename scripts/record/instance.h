/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of an instance of tracefs. */
#ifndef NEWIDLE_INSTANCE_H
#define NEWIDLE_INSTANCE_H

#include "ring.h"

/* The events that are recorded. */
enum kind {
	DECIDE,
	DONE,
	SWITCH,
	NR_KINDS
};

/* What is read of them; not every event has all. */
enum what {
	TYPE,
	PID,
	AVG_IDLE,
	DEPTH,
	LEVEL,
	TRY,
	REASON,
	COST,
	PULLED,
	RETRY,
	PREV,
	NEXT,
	NR_FIELDS
};

/**
 * struct event_kind - what is known of a kind of event
 * @id: by which an event says that it is of this kind
 * @field: where its fields are
 */
struct event_kind {
	uint64_t id;
	struct field field[NR_FIELDS];
};

/**
 * struct instance - an instance of tracefs
 * @path: its directory
 * @page: size of a page of the ring buffer
 * @kind: the events
 */
struct instance {
	const char *path;
	size_t page;
	struct event_kind kind[NR_KINDS];
};

bool instance_open(struct instance *i, const char *path);
int instance_pages(const struct instance *i, unsigned int cpu);
bool instance_lost(const struct instance *i, unsigned int cpu, uint64_t *lost);

#endif /* NEWIDLE_INSTANCE_H */
