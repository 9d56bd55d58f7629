// SPDX-License-Identifier: GPL-2.0-only
/* Every member of the kernel's structs that newidle touches: one table. */
#include "log.h"
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include "btf.h"
#include "members.h"

s32 newidle_offset[NEWIDLE_NR_MEMBERS] __ro_after_init;

enum need {
	REQUIRED,	/* without it nothing works */
	OPTIONAL,	/* other code decides what its absence means */
	FOR_SWAP,	/* without it there is no engine swap */
	SWAP_OPTIONAL,	/* engine swap decides what its absence means */
};

static const char *const need_names[] = {
	[REQUIRED] = "required",
	[OPTIONAL] = "optional",
	[FOR_SWAP] = "swap",
	[SWAP_OPTIONAL] = "swap-optional",
};

#define ANYWHERE	NEWIDLE_NO_MEMBER
#define ANY_SIZE	U32_MAX

/*
 * Those that the headers show must lie where the headers say: a mismatch means
 * that the module was built for another kernel.
 */
static const struct member {
	const char *type, *name;
	u32 size;
	enum need need;
	s32 expect;	/* offset by the headers, or ANYWHERE */
	int slot;	/* in newidle_offset, or -1 */
} members[] = {
#define MEMBER(type, name, size, need, slot)				\
	{ #type, #name, size, need, ANYWHERE, slot }
#define BY_HEADER(member)						\
	{ "sched_domain", #member, sizeof_field(struct sched_domain, member), \
	  REQUIRED, offsetof(struct sched_domain, member), -1 }
	BY_HEADER(parent),
	BY_HEADER(child),
	BY_HEADER(flags),
	BY_HEADER(level),
	BY_HEADER(span_weight),
	BY_HEADER(balance_interval),
	BY_HEADER(last_balance),
	BY_HEADER(max_newidle_lb_cost),
	BY_HEADER(last_decay_max_lb_cost),
	MEMBER(sched_domain, name, sizeof(char *), OPTIONAL, NEWIDLE_SD_NAME),
	MEMBER(sched_domain, newidle_call, sizeof(int), OPTIONAL, NEWIDLE_SD_CALL),
	MEMBER(sched_domain, newidle_success, sizeof(int), OPTIONAL, NEWIDLE_SD_SUCCESS),
	MEMBER(sched_domain, newidle_ratio, sizeof(int), OPTIONAL, NEWIDLE_SD_RATIO),
	MEMBER(sched_domain, newidle_stamp, sizeof(u64), OPTIONAL, NEWIDLE_SD_STAMP),
	MEMBER(rq, __lock, sizeof(raw_spinlock_t), REQUIRED, NEWIDLE_RQ_LOCK),
	MEMBER(rq, sd, sizeof(void *), REQUIRED, NEWIDLE_RQ_SD),
	MEMBER(rq, core, sizeof(void *), OPTIONAL, NEWIDLE_RQ_CORE),
	MEMBER(rq, core_enabled, sizeof(int), OPTIONAL, NEWIDLE_RQ_CORE_ENABLED),
	MEMBER(rq, cpu, sizeof(int), FOR_SWAP, NEWIDLE_RQ_CPU),
	MEMBER(rq, nr_running, sizeof(int), FOR_SWAP, NEWIDLE_RQ_NR_RUNNING),
	MEMBER(rq, ttwu_pending, sizeof(int), FOR_SWAP, NEWIDLE_RQ_TTWU_PENDING),
	MEMBER(rq, clock, sizeof(u64), FOR_SWAP, NEWIDLE_RQ_CLOCK),
	MEMBER(rq, clock_update_flags, sizeof(int), FOR_SWAP, NEWIDLE_RQ_CLOCK_UPDATE_FLAGS),
	MEMBER(rq, rd, sizeof(void *), FOR_SWAP, NEWIDLE_RQ_RD),
	MEMBER(rq, idle_stamp, sizeof(u64), FOR_SWAP, NEWIDLE_RQ_IDLE_STAMP),
	MEMBER(rq, avg_idle, sizeof(u64), FOR_SWAP, NEWIDLE_RQ_AVG_IDLE),
	MEMBER(rq, max_idle_balance_cost, sizeof(u64), FOR_SWAP, NEWIDLE_RQ_MAX_COST),
	MEMBER(rq, next_balance, sizeof(long), FOR_SWAP, NEWIDLE_RQ_NEXT_BALANCE),
	MEMBER(rq, misfit_task_load, sizeof(long), FOR_SWAP, NEWIDLE_RQ_MISFIT),
	MEMBER(rq, nohz_flags, sizeof(atomic_t), SWAP_OPTIONAL, NEWIDLE_RQ_NOHZ_FLAGS),
	MEMBER(rq, cfs, ANY_SIZE, FOR_SWAP, NEWIDLE_RQ_CFS),
	MEMBER(cfs_rq, h_nr_queued, sizeof(int), SWAP_OPTIONAL, NEWIDLE_CFS_H_NR_QUEUED),
	MEMBER(cfs_rq, h_nr_running, sizeof(int), SWAP_OPTIONAL, NEWIDLE_CFS_H_NR_RUNNING),
	MEMBER(rq_flags, clock_update_flags, sizeof(int), SWAP_OPTIONAL,
	       NEWIDLE_RF_CLOCK_UPDATE_FLAGS),
	MEMBER(rq_flags, cookie, sizeof(struct pin_cookie), FOR_SWAP, NEWIDLE_RF_COOKIE),
	MEMBER(root_domain, overloaded, sizeof(bool), SWAP_OPTIONAL, NEWIDLE_RD_OVERLOADED),
	MEMBER(root_domain, overload, sizeof(int), SWAP_OPTIONAL, NEWIDLE_RD_OVERLOAD),
	MEMBER(rq, scx, ANY_SIZE, SWAP_OPTIONAL, NEWIDLE_RQ_SCX),
	MEMBER(scx_rq, flags, sizeof(int), SWAP_OPTIONAL, NEWIDLE_SCX_FLAGS),
	MEMBER(rq, queue_mask, sizeof(int), SWAP_OPTIONAL, NEWIDLE_RQ_QUEUE_MASK),
	MEMBER(rq, next_class, sizeof(void *), SWAP_OPTIONAL, NEWIDLE_RQ_NEXT_CLASS),
};

/* The first one whose absence or size keeps engine swap away. */
static char swap_lacks[80];

static void lose_swap(const struct member *m, const char *how)
{
	if (!swap_lacks[0])
		scnprintf(swap_lacks, sizeof(swap_lacks), "%s.%s %s", m->type,
			  m->name, how);
}

static int check_member(const struct member *m, u32 offset, u32 size)
{
	bool fits = (m->size == ANY_SIZE || size == m->size) &&
		    (m->expect == ANYWHERE || offset == m->expect);

	if (fits)
		return 0;
	if (m->need >= FOR_SWAP) {
		lose_swap(m, "has another size than expected");
		return -EINVAL;
	}
	pr_err("%s.%s has %u bytes at %u in this kernel, not what the module was built for (%u bytes%s): build it with the running kernel's headers; if it was, this kernel is not supported\n",
	       m->type, m->name, size, offset, m->size,
	       m->expect == ANYWHERE ? "" : ", elsewhere");
	return -EINVAL;
}

/**
 * newidle_members_find() - look all members up
 * @btf: from newidle_btf_open()
 *
 * Return: 0, or an error that was logged: a required member is missing, or one
 * is not what the module was built for.
 */
int newidle_members_find(const struct btf *btf)
{
	const struct member *m;
	u32 offset, size;
	int i, err;

	for (i = 0; i < NEWIDLE_NR_MEMBERS; i++)
		newidle_offset[i] = NEWIDLE_NO_MEMBER;

	for (m = members; m < members + ARRAY_SIZE(members); m++) {
		err = newidle_btf_member(btf, m->type, m->name, &offset, &size);
		if (err && m->need == REQUIRED) {
			pr_err("struct %s has no member %s in this kernel: not supported\n",
			       m->type, m->name);
			return err;
		}
		if (err && m->need == FOR_SWAP)
			lose_swap(m, "is missing");
		if (err)
			continue;
		err = check_member(m, offset, size);
		if (err && m->need < FOR_SWAP)
			return err;
		if (!err && m->slot >= 0)
			newidle_offset[m->slot] = offset;
	}
	if (newidle_has(NEWIDLE_RQ_CORE_ENABLED) && !newidle_has(NEWIDLE_RQ_CORE)) {
		pr_err("struct rq has core_enabled but no core: not supported\n");
		return -EINVAL;
	}
	return 0;
}

/**
 * newidle_members_lacking_for_swap() - the member that engine swap misses
 *
 * Return: its name and what is wrong with it, or NULL.
 */
const char *newidle_members_lacking_for_swap(void)
{
	return swap_lacks[0] ? swap_lacks : NULL;
}

/**
 * newidle_members_show() - the table, with what was found
 * @m: file to print to
 */
void newidle_members_show(struct seq_file *m)
{
	const struct member *member;
	s32 offset;

	seq_puts(m, "# member need size offset\n");
	for (member = members; member < members + ARRAY_SIZE(members); member++) {
		seq_printf(m, "%s.%s %s ", member->type, member->name,
			   need_names[member->need]);
		if (member->size == ANY_SIZE)
			seq_puts(m, "any ");
		else
			seq_printf(m, "%u ", member->size);
		offset = member->slot < 0 ? member->expect :
					    newidle_offset[member->slot];
		if (offset == NEWIDLE_NO_MEMBER)
			seq_puts(m, "-\n");
		else
			seq_printf(m, "%d\n", offset);
	}
}
