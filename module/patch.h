/* SPDX-License-Identifier: GPL-2.0-only */
/* The livepatch, and who decides at this moment: the kernel or we. */
#ifndef NEWIDLE_PATCH_H
#define NEWIDLE_PATCH_H

#include <linux/mutex.h>
#include <linux/types.h>

struct newidle_engine;

/* Order of knob writes, taking over and handing back; inside klp's mutex. */
extern struct mutex newidle_lock;

int newidle_patch_enable(const struct newidle_engine *engine);
void newidle_patch_close(void);
const char *newidle_patch_state(void);
bool newidle_patch_ended(void);
void newidle_patch_set_policy(u32 policy);
void newidle_patch_reset(void);

#endif /* NEWIDLE_PATCH_H */
