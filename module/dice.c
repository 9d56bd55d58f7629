// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take the kernel's own dice out of the game, and give them back.
 *
 * A sched feature is a bit, which /sys/kernel/debug/sched/features shows, and
 * a static key, which the code asks.  Others may write that file at any time,
 * without a lock that we could take.
 */
#include "log.h"
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include "dice.h"
#include "kernel.h"

static bool taken;	/* a policy of ours decides */
static bool give_back;	/* the dice are to be on again afterwards */

/* By address: a jump label of ours on a kernel key would not be patched. */
static bool dice_on(void)
{
	return static_key_enabled(newidle_kernel.dice_key) ||
	       (READ_ONCE(*newidle_kernel.features) & newidle_kernel.dice_bit);
}

static void set_bit_of_dice(bool on)
{
	unsigned int *features = newidle_kernel.features;
	unsigned int old = READ_ONCE(*features), new, seen;

	for (;; old = seen) {
		new = on ? old | newidle_kernel.dice_bit :
			   old & ~newidle_kernel.dice_bit;
		seen = cmpxchg(features, old, new);
		if (seen == old)
			return;
	}
}

static void dice_off(void)
{
	set_bit_of_dice(false);
	static_key_disable(newidle_kernel.dice_key);
}

/**
 * newidle_dice_take() - switch the kernel's dice off
 *
 * Context: process, under newidle_lock; patches kernel text.
 */
void newidle_dice_take(void)
{
	if (!newidle_kernel.dice_key || taken)
		return;
	give_back = dice_on();
	if (give_back)
		dice_off();
	taken = true;
}

/**
 * newidle_dice_check() - has somebody switched the dice on meanwhile?
 *
 * If so they are switched off again, since two dice must not roll for one
 * decision, and the other's wish is kept for newidle_dice_return().
 *
 * Context: process, under newidle_lock.
 * Return: true if they were on: they may have skipped where nobody counts.
 */
bool newidle_dice_check(void)
{
	if (!taken || !dice_on())
		return false;
	pr_notice_ratelimited("NI_RANDOM was switched on by somebody else; it takes effect with policy stock or when newidle is unloaded\n");
	give_back = true;
	dice_off();
	return true;
}

/* As a new domain starts: what we let the kernel book is no experience. */
static void restart_ratios(void)
{
	struct sched_domain *sd;
	int cpu;

	for_each_possible_cpu(cpu) {
		rcu_read_lock();
		for (sd = newidle_cpu_domains(cpu); sd;
		     sd = rcu_dereference(sd->parent)) {
			WRITE_ONCE(*(u32 *)newidle_at(sd, NEWIDLE_SD_CALL), 512);
			WRITE_ONCE(*(u32 *)newidle_at(sd, NEWIDLE_SD_SUCCESS), 256);
			WRITE_ONCE(*(u32 *)newidle_at(sd, NEWIDLE_SD_RATIO), 512);
			if (newidle_has(NEWIDLE_SD_STAMP))
				WRITE_ONCE(*(u64 *)newidle_at(sd, NEWIDLE_SD_STAMP),
					   sched_clock());
		}
		rcu_read_unlock();
	}
}

/**
 * newidle_dice_return() - hand the kernel its dice back as they were found
 *
 * Context: process, under newidle_lock; patches kernel text.
 */
void newidle_dice_return(void)
{
	if (!taken)
		return;
	/* Found on: somebody switched them on since the last check. */
	if (dice_on())
		give_back = true;
	restart_ratios();
	if (give_back) {
		static_key_enable(newidle_kernel.dice_key);
		set_bit_of_dice(true);
	}
	taken = false;
}
