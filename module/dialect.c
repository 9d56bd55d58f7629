// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which dialect of new-idle balance does this kernel speak?
 *
 * Nothing here logs: what can't be proved only means that engine gate is used,
 * and the reason goes into its line.
 */
#include "log.h"
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include "btf.h"
#include "compat.h"
#include "dialect.h"
#include "symbols.h"

struct newidle_dialect newidle_dialect __ro_after_init;
struct newidle_running newidle_running __ro_after_init;

/*
 * The dialects that were tested, by all their marks.  The members of struct rq
 * that 6.19 and 7.0 brought mark kernels that work in another way.
 *
 * NI_RANDOM came with 33cf66d88306 (6.19; stable 6.1.160, 6.12.65, 6.18.5) and
 * put an end to the cost rule of 155213a2aed4 (6.17; stable 6.12.43).
 */
static const struct known {
	struct newidle_dialect dialect;
	const char *balancer;
	bool dice;
} known[] = {
	{
		.dialect = {
			.name            = "6.1 with NI_RANDOM",
			.update_blocked  = "update_blocked_averages",
			.root_overloaded = NEWIDLE_RD_OVERLOAD,
			.stops_when_busy = true,
		},
		.balancer = "load_balance",
		.dice = true,
	},
	{
		.dialect = {
			.name            = "6.12 ... 6.18 with NI_RANDOM",
			.update_blocked  = "sched_balance_update_blocked_averages",
			.root_overloaded = NEWIDLE_RD_OVERLOADED,
		},
		.balancer = "sched_balance_rq",
		.dice = true,
	},
	{
		.dialect = {
			.name            = "6.12 ... 6.17 with the cost rule",
			.update_blocked  = "sched_balance_update_blocked_averages",
			.root_overloaded = NEWIDLE_RD_OVERLOADED,
			.bumps_cost      = true,
		},
		.balancer = "sched_balance_rq",
	},
};

/* Marks that can be seen agree; what can't be seen is left to the version. */
static bool is_like(const struct known *k)
{
	unsigned long addr;

	return !strcmp(newidle_kernel.balancer.name, k->balancer) &&
	       k->dice == (newidle_kernel.native == NEWIDLE_NATIVE_RANDOM) &&
	       newidle_has(k->dialect.root_overloaded) &&
	       !newidle_symbol_optional(k->dialect.update_blocked, &addr) &&
	       (k->dialect.bumps_cost ? NEWIDLE_SURE_COST_RULE :
					NEWIDLE_TESTED_SERIES);
}

static int find_known(char *why, size_t len)
{
	const struct known *k;

	if (newidle_has(NEWIDLE_RQ_QUEUE_MASK) || newidle_has(NEWIDLE_RQ_NEXT_CLASS)) {
		scnprintf(why, len, "its new-idle balance tells of queued tasks in another way (6.19 and later)");
		return -EOPNOTSUPP;
	}
	for (k = known; k < known + ARRAY_SIZE(known); k++) {
		if (is_like(k)) {
			newidle_dialect = k->dialect;
			return 0;
		}
	}
	scnprintf(why, len, "its new-idle balance is none of those that were tested");
	return -EOPNOTSUPP;
}

static int find_fair_tasks(char *why, size_t len)
{
	if (newidle_has(NEWIDLE_CFS_H_NR_QUEUED) == newidle_has(NEWIDLE_CFS_H_NR_RUNNING)) {
		scnprintf(why, len, "cfs_rq has %s of h_nr_queued and h_nr_running",
			  newidle_has(NEWIDLE_CFS_H_NR_QUEUED) ? "both" : "neither");
		return -EOPNOTSUPP;
	}
	newidle_dialect.fair_tasks = newidle_has(NEWIDLE_CFS_H_NR_QUEUED) ?
		NEWIDLE_CFS_H_NR_QUEUED : NEWIDLE_CFS_H_NR_RUNNING;
	return 0;
}

static int find_symbols(char *why, size_t len)
{
	struct newidle_running *r = &newidle_running;
	unsigned long migration_cost, max_interval, asym_capacity;
	const struct {
		const char *name;
		unsigned long *addr;
	} needed[] = {
		{ newidle_dialect.update_blocked, &r->update_blocked },
		{ "raw_spin_rq_lock_nested", &r->rq_lock },
		{ "raw_spin_rq_unlock", &r->rq_unlock },
		{ "sysctl_sched_migration_cost", &migration_cost },
		{ "max_load_balance_interval", &max_interval },
		{ "sched_asym_cpucapacity", &asym_capacity },
	};
	int i, err;

	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		err = newidle_symbol_optional(needed[i].name, needed[i].addr);
		if (err) {
			scnprintf(why, len, "kernel symbol %s is %s",
				  needed[i].name,
				  err == -EEXIST ? "not unique" : "missing");
			return err;
		}
	}
	r->migration_cost = (const unsigned int *)migration_cost;
	r->max_interval = (const unsigned long *)max_interval;
	r->asym_capacity = (struct static_key *)asym_capacity;
	return 0;
}

/*
 * Two prototypes that all dialects share; a function called with other
 * arguments than it takes would be worse than none.
 */
static int check_prototypes(const struct btf *btf, char *why, size_t len)
{
	const struct {
		const char *name, *want;
	} called[] = {
		{ newidle_dialect.update_blocked, "void (int)" },
		{ "raw_spin_rq_lock_nested", "void (struct rq *, int)" },
		{ "raw_spin_rq_unlock", "void (struct rq *)" },
	};
	char have[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(called); i++) {
		if (newidle_btf_prototype(btf, called[i].name, have, sizeof(have)) ||
		    strcmp(have, called[i].want)) {
			scnprintf(why, len, "%s is %s, expected %s",
				  called[i].name, have[0] ? have : "not in BTF",
				  called[i].want);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* What the kernel remembers of CPUs that have stopped their tick. */
static int find_nohz(const struct btf *btf, char *why, size_t len)
{
	static const char *const names[] = { "has_blocked", "next_blocked" };
	u32 offset[ARRAY_SIZE(names)], size[ARRAY_SIZE(names)];
	unsigned long nohz;
	int err;

	err = newidle_symbol_optional("nohz", &nohz);
	if (err == -ENOENT && !newidle_has(NEWIDLE_RQ_NOHZ_FLAGS))
		return 0;
	if (!err)
		err = newidle_btf_unnamed(btf, names, ARRAY_SIZE(names), offset, size);
	if (err || size[0] != sizeof(int) || size[1] != sizeof(long) ||
	    !newidle_has(NEWIDLE_RQ_NOHZ_FLAGS)) {
		scnprintf(why, len, "nohz is not what it was on the kernels that were tested");
		return -EOPNOTSUPP;
	}
	newidle_running.has_blocked = (const int *)(nohz + offset[0]);
	newidle_running.next_blocked = (const unsigned long *)(nohz + offset[1]);
	return 0;
}

/*
 * From 6.14 the clock that sched_ext keeps for its schedulers becomes invalid
 * with the unpinning (3a9910b5904d, "sched_ext: Implement scx_bpf_now()").
 */
static int find_scx_clock(const struct btf *btf, char *why, size_t len)
{
	unsigned long key;
	u32 bit;

	if (newidle_btf_enumerator(btf, "SCX_RQ_CLK_VALID", &bit))
		return 0;
	if (!newidle_has(NEWIDLE_RQ_SCX) || !newidle_has(NEWIDLE_SCX_FLAGS) ||
	    newidle_symbol_optional("__scx_enabled", &key)) {
		scnprintf(why, len, "sched_ext's clock can't be found");
		return -EOPNOTSUPP;
	}
	newidle_dialect.scx_clock_bit = bit;
	newidle_running.scx_enabled = (struct static_key *)key;
	return 0;
}

/**
 * newidle_dialect_find() - fill newidle_dialect and newidle_running
 * @why: filled with what is missing
 * @len: size of @why
 *
 * newidle_kernel must have been filled.
 *
 * Return: 0, or an error.
 */
int newidle_dialect_find(char *why, size_t len)
{
	static const char *const names[] = { "sched_balance_newidle", "newidle_balance" };
	const char *const test_names[] = { newidle_test_newidle, NULL };
	const struct btf *btf = newidle_kernel.btf;
	const char *lacks;
	int err;

	err = newidle_function_find(&newidle_running.own,
				    newidle_test_newidle ? test_names : names,
				    "int (struct rq *, struct rq_flags *)",
				    why, len);
	if (err)
		return err;
	lacks = newidle_members_lacking_for_swap();
	if (lacks) {
		scnprintf(why, len, "%s", lacks);
		return -EOPNOTSUPP;
	}
	err = find_known(why, len);
	if (!err)
		err = find_fair_tasks(why, len);
	if (!err)
		err = find_symbols(why, len);
	if (!err)
		err = check_prototypes(btf, why, len);
	if (!err)
		err = find_nohz(btf, why, len);
	if (!err)
		err = find_scx_clock(btf, why, len);
	return err;
}
