/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the members lie that the kernel's headers do not show, or not on every
 * kernel: looked up in its BTF at load.
 */
#ifndef NEWIDLE_MEMBERS_H
#define NEWIDLE_MEMBERS_H

#include <linux/types.h>

struct btf;
struct seq_file;

enum newidle_member {
	NEWIDLE_RQ_LOCK,
	NEWIDLE_RQ_SD,
	NEWIDLE_RQ_CORE,
	NEWIDLE_RQ_CORE_ENABLED,
	NEWIDLE_SD_NAME,
	NEWIDLE_SD_CALL,
	NEWIDLE_SD_SUCCESS,
	NEWIDLE_SD_RATIO,
	NEWIDLE_SD_STAMP,
	/* Engine swap alone. */
	NEWIDLE_RQ_CPU,
	NEWIDLE_RQ_NR_RUNNING,
	NEWIDLE_RQ_TTWU_PENDING,
	NEWIDLE_RQ_CLOCK,
	NEWIDLE_RQ_CLOCK_UPDATE_FLAGS,
	NEWIDLE_RQ_RD,
	NEWIDLE_RQ_IDLE_STAMP,
	NEWIDLE_RQ_AVG_IDLE,
	NEWIDLE_RQ_MAX_COST,
	NEWIDLE_RQ_NEXT_BALANCE,
	NEWIDLE_RQ_MISFIT,
	NEWIDLE_RQ_NOHZ_FLAGS,
	NEWIDLE_RQ_CFS,
	NEWIDLE_CFS_H_NR_QUEUED,
	NEWIDLE_CFS_H_NR_RUNNING,
	NEWIDLE_RF_CLOCK_UPDATE_FLAGS,
	NEWIDLE_RF_COOKIE,
	NEWIDLE_RD_OVERLOADED,
	NEWIDLE_RD_OVERLOAD,
	NEWIDLE_RQ_SCX,
	NEWIDLE_SCX_FLAGS,
	/* Marks of kernels that work in another way. */
	NEWIDLE_RQ_QUEUE_MASK,
	NEWIDLE_RQ_NEXT_CLASS,
	NEWIDLE_NR_MEMBERS
};

#define NEWIDLE_NO_MEMBER (-1)

/* Bytes; NEWIDLE_NO_MEMBER for one that is missing.  Constant after load. */
extern s32 newidle_offset[NEWIDLE_NR_MEMBERS];

int newidle_members_find(const struct btf *btf);
const char *newidle_members_lacking_for_swap(void);
void newidle_members_show(struct seq_file *m);

static inline bool newidle_has(enum newidle_member m)
{
	return newidle_offset[m] != NEWIDLE_NO_MEMBER;
}

/* Address of a member; only for members that newidle_has(). */
static inline void *newidle_at(const void *base, enum newidle_member m)
{
	return (void *)base + newidle_offset[m];
}

/* A member of a struct that no header shows. */
#define AT(type, base, member)	(*(type *)newidle_at(base, NEWIDLE_##member))

#endif /* NEWIDLE_MEMBERS_H */
