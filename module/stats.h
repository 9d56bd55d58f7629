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

/* Under newidle_lock: from now on others skip, or try, where we can't see it. */
void newidle_stats_lose_skips(void);
void newidle_stats_lose_tries(void);

#endif /* NEWIDLE_STATS_H */
