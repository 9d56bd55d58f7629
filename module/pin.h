/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Letting go of a run queue's lock in the middle of schedule(), and taking it
 * again, as far as others than the lock itself must know of it.  Engine swap's.
 */
#ifndef NEWIDLE_PIN_H
#define NEWIDLE_PIN_H

#include <linux/jump_label.h>
#include <linux/lockdep.h>
#include "dialect.h"
#include "kernel.h"
#include "members.h"

struct rq_flags;

/* Of rq.clock_update_flags: above SKIP the clock is up to date. */
#define CLOCK_SKIP	2
#define CLOCK_UPDATED	4

/**
 * newidle_unpin() - the lock is about to be let go of
 * @rq: the run queue
 * @rf: what schedule() remembers of it; notes whether the clock was current
 */
static inline void newidle_unpin(struct rq *rq, struct rq_flags *rf)
{
	if (newidle_has(NEWIDLE_RF_CLOCK_UPDATE_FLAGS) &&
	    AT(unsigned int, rq, RQ_CLOCK_UPDATE_FLAGS) > CLOCK_SKIP)
		AT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS) = CLOCK_UPDATED;

	if (newidle_dialect.scx_clock_bit &&
	    static_key_enabled(newidle_running.scx_enabled)) {
		u32 *flags = newidle_at(newidle_at(rq, NEWIDLE_RQ_SCX),
					NEWIDLE_SCX_FLAGS);

		WRITE_ONCE(*flags, *flags & ~newidle_dialect.scx_clock_bit);
	}
	lockdep_unpin_lock(newidle_rq_lock(rq), AT(struct pin_cookie, rf, RF_COOKIE));
}

/**
 * newidle_repin() - the lock is held again
 * @rq: the run queue
 * @rf: as newidle_unpin() left it
 */
static inline void newidle_repin(struct rq *rq, struct rq_flags *rf)
{
	lockdep_repin_lock(newidle_rq_lock(rq), AT(struct pin_cookie, rf, RF_COOKIE));
	if (newidle_has(NEWIDLE_RF_CLOCK_UPDATE_FLAGS))
		AT(unsigned int, rq, RQ_CLOCK_UPDATE_FLAGS) |=
			AT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS);
}

#endif /* NEWIDLE_PIN_H */
