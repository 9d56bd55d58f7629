/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine hooks the kernel's new-idle balance and asks the policy.
 *
 *	swap	replaces the kernel's new-idle balance itself
 *	gate	stands before the balancer, which that calls for each domain
 *
 * engine.c chooses; attempt.h is what both do at one domain.
 */
#ifndef NEWIDLE_ENGINE_H
#define NEWIDLE_ENGINE_H

#include <linux/types.h>
#include "kernel.h"

/* Hooks of one engine. */
#define NEWIDLE_HOOKS 2

/**
 * struct newidle_hook - one function of the kernel, and ours in its place
 * @target: the kernel's
 * @func: ours
 */
struct newidle_hook {
	const struct newidle_function *target;
	void *func;
};

/**
 * struct newidle_engine - what the livepatch needs to know of an engine
 * @name: as users choose it
 * @hooks: the first is where the policy is asked, the last one in use sees the
 *	kernel's own attempts; an unused one has no @target
 * @takes_dice: the kernel's own dice must not roll while a policy of ours
 *	decides
 * @books_costs: it, and not the kernel, keeps the domains' highest costs
 */
struct newidle_engine {
	const char *name;
	struct newidle_hook hooks[NEWIDLE_HOOKS];
	bool takes_dice;
	bool books_costs;
};

/* Values of the module parameter engine. */
enum newidle_engine_choice {
	NEWIDLE_ENGINE_AUTO,
	NEWIDLE_ENGINE_SWAP,
	NEWIDLE_ENGINE_GATE,
	NEWIDLE_NR_ENGINE_CHOICES
};

extern const char *const newidle_engine_choices[NEWIDLE_NR_ENGINE_CHOICES];

int newidle_engine_open(struct newidle_engine *engine, u32 wanted);

/* Reasons for a refusal are as long as this. */
#define NEWIDLE_WHY 240

/* Return 0, or an error and its reason. */
int newidle_gate_open(struct newidle_engine *engine, char *why, size_t len);
int newidle_swap_open(struct newidle_engine *engine, char *why, size_t len);

struct newidle_hook newidle_gate_counter(void);

/*
 * The hooks' view of where we are; changed by patch.c alone.  While it is
 * false every hook passes through and counts nothing.
 */
extern bool newidle_live;

/**
 * enum newidle_lock_contract - is the run-queue lock free when the balancer
 *	is entered?  Engine gate alone asks.
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
