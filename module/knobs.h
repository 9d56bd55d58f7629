/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/newidle and the module parameters of the same names. */
#ifndef NEWIDLE_KNOBS_H
#define NEWIDLE_KNOBS_H

#include <linux/types.h>

struct newidle_engine;

/* What the user asked for: one of enum newidle_engine_choice. */
extern u32 newidle_engine_wanted;

int newidle_knobs_publish(const struct newidle_engine *engine);
void newidle_knobs_withdraw(void);

#endif /* NEWIDLE_KNOBS_H */
