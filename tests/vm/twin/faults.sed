# SPDX-License-Identifier: GPL-2.0-only
# Faults that twin.sh switches on one at a time and that it must notice.
s/^\t\t\*next_balance = p\.next_balance;/\t\t*next_balance = twin_fault == 1 ? *next_balance : p.next_balance;/
s/^\t\tAT(u64, rq, RQ_IDLE_STAMP) = 0;/\t\tAT(u64, rq, RQ_IDLE_STAMP) = twin_fault == 2 ? 7 : 0;/
s/max_newidle_lb_cost \* 253 \/ 256/max_newidle_lb_cost * (twin_fault == 3 ? 255 : 253) \/ 256/
s/^\t\t\*max_cost = p->cost;/\t\t*max_cost = twin_fault == 4 ? *max_cost : p->cost;/
s/^\t\treturn -1;/\t\treturn twin_fault == 5 ? 1 : -1;/
s/^\tatomic_or(NOHZ_UPDATE_BLOCKED,/\tatomic_or(twin_fault == 6 ? 0 : NOHZ_UPDATE_BLOCKED,/
s/^\t\tif (is_done(p, continue_balancing))/\t\tif (twin_fault != 7 \&\& is_done(p, continue_balancing))/
s/^\t\tnote_next_balance(p, sd);/\t\tif (twin_fault != 8) note_next_balance(p, sd);/
s/^\t\tsd->max_newidle_lb_cost = cost;/\t\tsd->max_newidle_lb_cost = twin_fault == 9 ? cost + 5000000 : cost;/
s/^typedef int newidle_fn/extern int twin_fault;\n&/
