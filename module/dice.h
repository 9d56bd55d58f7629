/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own dice (NI_RANDOM): off while a policy of ours decides. */
#ifndef NEWIDLE_DICE_H
#define NEWIDLE_DICE_H

#include <linux/types.h>

void newidle_dice_take(void);
bool newidle_dice_check(void);
void newidle_dice_return(void);

#endif /* NEWIDLE_DICE_H */
