/* SPDX-License-Identifier: GPL-2.0-only */
/* Include first: every line that newidle logs starts with its name. */
#ifndef NEWIDLE_LOG_H
#define NEWIDLE_LOG_H

#ifndef pr_fmt
#define pr_fmt(fmt) "newidle: " fmt
#endif
#include <linux/printk.h>

#endif /* NEWIDLE_LOG_H */
