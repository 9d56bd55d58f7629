/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters as users see them: sysfs stats/ and debugfs newidle/domains. */
#ifndef NEWIDLE_STATS_H
#define NEWIDLE_STATS_H

#include <linux/types.h>

struct kobject;

int newidle_stats_publish(struct kobject *parent);
void newidle_stats_publish_domains(void);
void newidle_stats_withdraw(struct kobject *parent);

/* Under newidle_lock. */
void newidle_stats_reset(void);

/* What happens where we can't see it, and is unknown until the next reset. */
#define NEWIDLE_LOST_TRIES	1U
#define NEWIDLE_LOST_SKIPS	2U
#define NEWIDLE_LOST_BUDGET	4U

/* Under newidle_lock. */
void newidle_stats_lose(unsigned int what);

#endif /* NEWIDLE_STATS_H */
