/* SPDX-License-Identifier: GPL-2.0-only */
/* From trace events of one CPU to passes of new-idle balance. */
#ifndef NEWIDLE_FOLLOW_H
#define NEWIDLE_FOLLOW_H

#include "writer.h"

/**
 * struct follower - what is known of a CPU
 * @cpu: the CPU
 * @w: where passes go
 * @pass: the pass that is not yet written
 * @count: its attempts; 0: there is none
 * @pid: who was about to leave the CPU idle then
 * @is_idle: the CPU idles behind that pass
 * @since: since then, ns
 * @avg_idle: as last told for each depth, ns
 * @name: of its levels
 * @idled: times that it went idle
 * @unasked: of these, without an attempt before
 * @budget: walks that the kernel's cost test ended
 */
struct follower {
	unsigned int cpu;
	struct writer *w;
	struct event pass[RECORDING_DEPTHS];
	size_t count;
	uint32_t pid;
	bool is_idle;
	uint64_t since;
	uint32_t avg_idle[RECORDING_DEPTHS];
	char name[RECORDING_DEPTHS][RECORDING_NAME + 1];
	uint64_t idled, unasked, budget;
};

/**
 * struct done - newidle:newidle_done
 */
struct done {
	uint64_t time, cost;
	uint32_t depth, pid;
	bool pulled, retry;
};

void follow_decide(struct follower *f, uint32_t depth, uint64_t avg_idle,
		   bool over_budget);
void follow_done(struct follower *f, const struct done *d);
void follow_switch(struct follower *f, uint64_t time, uint32_t from,
		   uint32_t to);
void follow_gap(struct follower *f);
void follow_name(struct follower *f, uint32_t depth, const uint8_t *name,
		 size_t size);

#endif /* NEWIDLE_FOLLOW_H */
