/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of new-idle events in memory; docs/recording.md has their format. */
#ifndef NEWIDLE_RECORDING_H
#define NEWIDLE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC		"newidle\n"
#define RECORDING_VERSION	1U
#define RECORDING_ORDER		0x01020304U

/* Kinds of blocks, as they read in a dump. */
#define BLOCK_HEAD	0x44414548U	/* "HEAD" */
#define BLOCK_EVENTS	0x53545645U	/* "EVTS" */
#define BLOCK_TAIL	0x4c494154U	/* "TAIL" */

#define RECORDING_CPUS		8192
#define RECORDING_DEPTHS	16
#define RECORDING_NAME		8

/* Of an event's first byte; its low four bits are the depth. */
#define EVENT_PULLED	0x10
#define EVENT_FIRST	0x20
#define EVENT_IDLED	0x40

/**
 * struct event - an attempt at one domain
 * @time: when it had come back, ns
 * @cost: its time, ns
 * @avg_idle: what the kernel took the CPU to idle on average, ns
 * @idle: how long the CPU then stayed idle, ns; of the last of a pass alone
 * @depth: the domain's place in the CPU's chain, 0 is the lowest
 * @flags: EVENT_PULLED; EVENT_FIRST of its pass; EVENT_IDLED: @idle is known
 *
 * Times of 4.3 s and longer are cut off there.
 */
struct event {
	uint64_t time;
	uint32_t cost;
	uint32_t avg_idle;
	uint32_t idle;
	uint8_t depth;
	uint8_t flags;
};

/**
 * struct cpu_events - what happened on one CPU, in its order
 * @number: the CPU's
 * @event: events
 * @count: how many
 * @room: for how many there is memory
 * @depths: the deepest level seen, and 1
 * @name: of its levels; "" if unknown
 */
struct cpu_events {
	unsigned int number;
	struct event *event;
	size_t count, room;
	unsigned int depths;
	char name[RECORDING_DEPTHS][RECORDING_NAME + 1];
};

/**
 * struct recording - all of a file
 * @head: lines "KEY VALUE" that were written before the events
 * @tail: those written behind them; "" if the recording has no end
 * @cpu: CPUs, by number
 * @nr_cpus: how many have events
 * @events: of all CPUs
 * @begin: when the first event had come back, ns
 * @end: and the last
 * @damage: what is wrong with the file behind what is here; "" if nothing
 */
struct recording {
	char *head, *tail;
	struct cpu_events *cpu;
	size_t nr_cpus;
	uint64_t events, begin, end;
	char damage[120];
};

bool recording_read(struct recording *r, const char *path);
bool recording_parse(struct recording *r, const uint8_t *data, size_t size);
void recording_free(struct recording *r);
const char *recording_value(const char *text, const char *key, size_t *length);
const char *recording_line(const char *line);
bool recording_number(const struct recording *r, const char *key,
		      uint64_t *value);
uint32_t recording_crc(const uint8_t *data, size_t size);

#endif /* NEWIDLE_RECORDING_H */
