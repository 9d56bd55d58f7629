/* SPDX-License-Identifier: GPL-2.0-only */
/* Dead tasks, which the livepatch core has lost sight of; see dead.c. */
#ifndef NEWIDLE_DEAD_H
#define NEWIDLE_DEAD_H

void newidle_dead_open(void);
void newidle_dead_close(void);
void newidle_dead_wait(void);

#endif /* NEWIDLE_DEAD_H */
