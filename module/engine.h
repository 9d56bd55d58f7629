/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine hooks the kernel's new-idle balance and asks the policy.  There is
 * one so far, gate; see engine_gate.c.
 */
#ifndef NEWIDLE_ENGINE_H
#define NEWIDLE_ENGINE_H

#include <linux/types.h>

/**
 * struct newidle_engine - what the livepatch needs to know of an engine
 * @name: as users choose it
 * @target: the kernel's function that it replaces
 * @hook: our function in its place
 */
struct newidle_engine {
	const char *name;
	const char *target;
	void *hook;
};

/* Values of the module parameter engine. */
enum newidle_engine_choice {
	NEWIDLE_ENGINE_AUTO,
	NEWIDLE_ENGINE_GATE,
	NEWIDLE_NR_ENGINE_CHOICES
};

extern const char *const newidle_engine_choices[NEWIDLE_NR_ENGINE_CHOICES];

int newidle_gate_open(struct newidle_engine *engine);

/*
 * The hooks' view of where we are; changed by patch.c alone.  While it is
 * false every hook passes through and counts nothing.
 */
extern bool newidle_live;

/**
 * enum newidle_lock_contract - is the run-queue lock free when the balancer
 *	is entered?
 * @NEWIDLE_LOCK_UNPROVED: not seen free yet: attempts only
 * @NEWIDLE_LOCK_FREE: seen free, so a skip may return at once
 * @NEWIDLE_LOCK_BROKEN: never seen free in many calls: a skip would return
 *	with the lock held
 */
enum newidle_lock_contract {
	NEWIDLE_LOCK_UNPROVED,
	NEWIDLE_LOCK_FREE,
	NEWIDLE_LOCK_BROKEN,
};

extern enum newidle_lock_contract newidle_lock_contract;

#endif /* NEWIDLE_ENGINE_H */
