// SPDX-License-Identifier: GPL-2.0-only
/*
 * The livepatch, and the change of hands that goes with it.
 *
 * Tasks come under a livepatch one by one, over seconds.  Until the last has,
 * and again from before the first leaves, our hook passes everything through;
 * the kernel's dice change at those two points only.  So no moment mixes two
 * policies, and a transition may be reversed at any time.
 *
 * A livepatch with .replace switches ours off without a word to us: whoever
 * looks (the watch, a reader of state, module exit) hands back then.
 */
#include "log.h"
#include <linux/jiffies.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "dead.h"
#include "dice.h"
#include "domains.h"
#include "engine.h"
#include "kernel.h"
#include "patch.h"
#include "stats.h"

DEFINE_MUTEX(newidle_lock);

/* Written under newidle_lock. */
static enum phase {
	PHASE_LOADING,		/* the transition has not finished */
	PHASE_LIVE,		/* post_patch ran: our policy decides */
	PHASE_TRANSPARENT,	/* patched, but skipping would not be safe */
	PHASE_ENDED,		/* being disabled, or disabled */
	PHASE_EVICTED,		/* replaced by another livepatch */
} phase = PHASE_LOADING;

/* Hooks above which the watch has seen another livepatch; under newidle_lock. */
static unsigned long shadowed;

static const struct newidle_engine *engine;
/* One for each hook of the engine; the rest stay empty and end the array. */
static struct klp_func funcs[NEWIDLE_HOOKS + 1];

static int nr_hooks(void)
{
	int n = 0;

	while (n < NEWIDLE_HOOKS && engine->hooks[n].target)
		n++;
	return n;
}

static void watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch);

/* Under klp's mutex: from here to the patching nobody can come in between. */
static int before_patching(struct klp_object *obj)
{
	int err = 0, i;

	for (i = 0; !err && i < nr_hooks(); i++)
		err = newidle_function_prove(engine->hooks[i].target);
	if (!err)
		newidle_dead_wait();
	return err;
}

/* The dice are the kernel's unless a policy of ours decides. */
static void take_dice(u32 policy)
{
	if (engine->takes_dice && policy != NEWIDLE_STOCK)
		newidle_dice_take();
}

/* Tell the counters what they can't know. */
static void tell_unknown(void)
{
	bool stock = newidle_settings.policy == NEWIDLE_STOCK;
	bool passed_by = shadowed & BIT(0);
	unsigned int lost = 0;

	/* Attempts: seen by the last hook, or made by the first. */
	if (shadowed & BIT(nr_hooks() - 1) && (stock || passed_by))
		lost |= NEWIDLE_LOST_TRIES | NEWIDLE_LOST_SKIPS;
	/* Decisions: made by the first, else by the kernel. */
	if (passed_by || (stock && newidle_kernel.native != NEWIDLE_NATIVE_NONE))
		lost |= NEWIDLE_LOST_SKIPS;
	/* The budget: kept by the first under swap, else by the kernel. */
	if (passed_by || stock || !engine->books_costs)
		lost |= NEWIDLE_LOST_BUDGET;
	newidle_stats_lose(lost);
}

static void begin(void)
{
	take_dice(newidle_settings.policy);
	tell_unknown();
	WRITE_ONCE(newidle_epoch, newidle_epoch + 1);
}

static void take_over(struct klp_object *obj)
{
	mutex_lock(&newidle_lock);
	if (READ_ONCE(newidle_lock_contract) == NEWIDLE_LOCK_BROKEN) {
		WRITE_ONCE(phase, PHASE_TRANSPARENT);
	} else {
		shadowed = 0;
		begin();
		WRITE_ONCE(phase, PHASE_LIVE);
		WRITE_ONCE(newidle_live, true);
	}
	mutex_unlock(&newidle_lock);
}

static void hand_back(enum phase next)
{
	lockdep_assert_held(&newidle_lock);
	WRITE_ONCE(newidle_live, false);
	newidle_dice_return();
	WRITE_ONCE(phase, next);
}

static void end(struct klp_object *obj)
{
	mutex_lock(&newidle_lock);
	hand_back(PHASE_ENDED);
	mutex_unlock(&newidle_lock);
}

static void mark_in_transition(bool in_transition)
{
	int i;

	for (i = 0; i < nr_hooks(); i++)
		WRITE_ONCE(funcs[i].transition, in_transition);
}

/*
 * Here our functions are in use and marked as in transition already, though no
 * task may switch before we return: without the mark all go on using them, and
 * nobody looks at the states that dead tasks don't have.  klp's barrier between
 * the marks and the tasks' flags comes after this.
 */
static void before_unpatching(struct klp_object *obj)
{
	mark_in_transition(false);
	end(obj);
	newidle_dead_wait();
	mark_in_transition(true);
}

static struct klp_object objs[] = {
	{
		.funcs = funcs,
		.callbacks = {
			.pre_patch    = before_patching,
			.post_patch   = take_over,
			.pre_unpatch  = before_unpatching,
			/* A load that was reversed has no pre_unpatch. */
			.post_unpatch = end,
		},
	}, {}
};

static struct klp_patch patch = {
	.mod  = THIS_MODULE,
	.objs = objs,
};

/* Switched off, with no callback of ours called. */
static bool was_evicted(void)
{
	const enum phase p = READ_ONCE(phase);

	if (p == PHASE_EVICTED)
		return true;
	return (p == PHASE_LIVE || p == PHASE_TRANSPARENT) &&
	       !READ_ONCE(funcs[0].patched);
}

/*
 * Our function is the oldest of those on its target, as was proved at load, so
 * its next entry is the list's head; if the previous one is another, that one
 * is the newer livepatch.  klp's mutex can't be taken here; the pointers are
 * compared only.
 */
static bool is_shadowed(int hook)
{
	return READ_ONCE(funcs[hook].stack_node.prev) !=
	       READ_ONCE(funcs[hook].stack_node.next);
}

static void notice_eviction(void)
{
	if (!was_evicted() || READ_ONCE(phase) == PHASE_EVICTED)
		return;
	mutex_lock(&newidle_lock);
	if (was_evicted() && phase != PHASE_EVICTED) {
		hand_back(PHASE_EVICTED);
		pr_warn("switched off by another livepatch that replaces all others; the kernel decides again; unload newidle\n");
	}
	mutex_unlock(&newidle_lock);
}

/*
 * With another livepatch above us the kernel would go without any dice, so it
 * gets its own back; and ours again when that one has gone.
 */
static void follow_shadow(int hook)
{
	const char *target = engine->hooks[hook].target->name;

	if (is_shadowed(hook) == !!(shadowed & BIT(hook)))
		return;
	shadowed ^= BIT(hook);
	if (!(shadowed & BIT(hook))) {
		pr_notice("the livepatch above ours on %s has gone\n", target);
		if (!hook)
			begin();
		return;
	}
	if (hook) {
		pr_notice("another livepatch has come above ours on %s: attempts under policy stock can't be counted until it goes\n",
			  target);
	} else {
		pr_notice("another livepatch has come above ours on %s, which is not asked any more%s\n",
			  target, engine->takes_dice ?
			  "; the kernel's own dice are back until that one goes" : "");
		newidle_dice_return();
	}
	tell_unknown();
}

static void follow_shadows(void)
{
	int hook;

	for (hook = 0; hook < nr_hooks(); hook++)
		follow_shadow(hook);
}

static void watch(struct work_struct *work)
{
	static bool told_overflow;

	notice_eviction();

	mutex_lock(&newidle_lock);
	if (phase == PHASE_LIVE && READ_ONCE(funcs[0].patched)) {
		follow_shadows();
		if (newidle_dice_check())
			newidle_stats_lose(NEWIDLE_LOST_SKIPS);
		if (READ_ONCE(newidle_lock_contract) == NEWIDLE_LOCK_BROKEN) {
			hand_back(PHASE_TRANSPARENT);
			pr_err("the balancer is entered with the run-queue lock held: skipping is not safe on this kernel, so everything is passed through; unload newidle\n");
		}
	}
	mutex_unlock(&newidle_lock);

	if (READ_ONCE(newidle_level_overflow) && !told_overflow) {
		told_overflow = true;
		pr_warn("this machine has domains above level %d: they are passed through and not counted\n",
			NEWIDLE_LEVELS - 1);
	}
	schedule_delayed_work(&watch_work, round_jiffies_relative(HZ));
}

/**
 * newidle_patch_state() - the value of the file state
 *
 * Derived from the livepatch each time; takes newidle_lock if an eviction is
 * noticed.
 *
 * Return: its name.
 */
const char *newidle_patch_state(void)
{
	enum phase p;

	notice_eviction();
	/* klp clears transition last when it disables, sets it first. */
	if (READ_ONCE(funcs[0].transition))
		return "transition";
	smp_rmb();
	p = READ_ONCE(phase);
	if (!READ_ONCE(funcs[0].patched)) {
		if (p == PHASE_LOADING)
			return "transition";
		return p == PHASE_ENDED ? "disabled" : "evicted";
	}
	if (p == PHASE_LOADING || p == PHASE_ENDED)
		return "transition";
	if (is_shadowed(0))
		return "shadowed";
	return p == PHASE_LIVE ? "active" : "transparent";
}

/**
 * newidle_patch_ended() - has handing back begun?
 *
 * Context: under newidle_lock.
 * Return: true if knobs have no effect any more.
 */
bool newidle_patch_ended(void)
{
	return phase == PHASE_ENDED || phase == PHASE_TRANSPARENT ||
	       was_evicted();
}

/**
 * newidle_patch_set_policy() - switch policies
 * @policy: one of enum newidle_policy
 *
 * The dice are ours before a policy of ours decides, and the kernel's again
 * after it has stopped.
 *
 * Context: process, under newidle_lock.
 */
void newidle_patch_set_policy(u32 policy)
{
	if (phase == PHASE_LIVE && !is_shadowed(0))
		take_dice(policy);
	/* Not all of them book windows, so time away is no part of one. */
	if (newidle_settings.policy != policy)
		WRITE_ONCE(newidle_epoch, newidle_epoch + 1);
	WRITE_ONCE(newidle_settings.policy, policy);
	if (phase == PHASE_LIVE && policy == NEWIDLE_STOCK) {
		tell_unknown();
		newidle_dice_return();
	}
}

/**
 * newidle_patch_reset() - all counters begin at 0
 *
 * Context: process, under newidle_lock.
 */
void newidle_patch_reset(void)
{
	newidle_stats_reset();
	if (phase == PHASE_LIVE && READ_ONCE(funcs[0].patched)) {
		follow_shadows();
		tell_unknown();
	}
}

/**
 * newidle_patch_enable() - switch the livepatch on; it works from then on
 * @chosen: what to hook
 *
 * The last step of init: after success init must not fail.
 *
 * Return: 0 or an error that was logged.
 */
int newidle_patch_enable(const struct newidle_engine *chosen)
{
	int err, i;

	engine = chosen;
	for (i = 0; i < nr_hooks(); i++) {
		funcs[i].old_name = engine->hooks[i].target->name;
		funcs[i].new_func = engine->hooks[i].func;
	}
	newidle_dead_open();
	err = klp_enable_patch(&patch);
	if (!err) {
		schedule_delayed_work(&watch_work, HZ);
		return 0;
	}
	newidle_dead_close();
	if (err == -EBUSY)
		pr_err("livepatch of %s failed: if no line above tells why, another livepatch is in transition (/sys/kernel/livepatch/*/transition); try again when it is done\n",
		       engine->hooks[0].target->name);
	else
		pr_err("livepatch of %s failed (%d): see the lines above\n", engine->hooks[0].target->name, err);
	return err;
}

/**
 * newidle_patch_close() - last look, at module exit
 *
 * The livepatch is off then, by an admin or by eviction, and the kernel has
 * made sure that no CPU is in our hook.
 */
void newidle_patch_close(void)
{
	cancel_delayed_work_sync(&watch_work);
	notice_eviction();
	newidle_dead_close();
}
