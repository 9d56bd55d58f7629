#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Faults in policy.c: see mutants.sh.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tests="numbers rate model properties dice law bresenham value"
# shellcheck source=tests/unit/mutants.sh
. "$here/mutants.sh"

mutants <<'LIST'
= policy.c
# start
start with no success|s/\.success = window \/ 4/.success = 0/
start with a full window|s/\.calls   = window \/ 2/.calls   = window - 1/
start at ratio 0|s/\.ratio   = NEWIDLE_UNIT \/ 2/.ratio   = 0/
start without a stamp|s/\.stamp   = now/.stamp   = 0/
# decision
dice: skip at d = w too|s/newidle_rng_draw(rng) > 1 + st->ratio/newidle_rng_draw(rng) >= 1 + st->ratio/
dice: share smaller by one|s/newidle_rng_draw(rng) > 1 + st->ratio/newidle_rng_draw(rng) > st->ratio/
dice: rolled at ratio 1024 too|s/st->ratio >= NEWIDLE_UNIT)/st->ratio > NEWIDLE_UNIT)/
weight doubled|s/return (NEWIDLE_UNIT + share/return 2 * (NEWIDLE_UNIT + share/
weight cut off instead of rounded|s/(NEWIDLE_UNIT + share \/ 2) \/ share/NEWIDLE_UNIT \/ share/
weight always 1|/^static u32 decide_random/,/^}/s/return weight_of.*/return 1;/
weight not set|s/^\t\*weight = .*//
attempt taken for a skip|s/return count != SKIP;/return count > 1;/
# accounting
success not booked|s/^\tst->success += o->pulled.*//
success booked as 1|s/o->pulled ? o->weight : 0;/o->pulled;/
window one call too long|s/if (st->calls < window)/if (st->calls <= window)/
window one call too short|s/if (st->calls < window)/if (st->calls + 1 < window)/
calls not halved|s/st->calls \/= 2;/st->calls = 0;/
successes not halved|s/st->success \/= 2;//
ratio not clamped|s/st->ratio = min(ratio + rate, (u64)NEWIDLE_UNIT)/st->ratio = ratio + rate/
ratio clamped one early|s/(u64)NEWIDLE_UNIT)/(u64)NEWIDLE_UNIT - 1)/
ratio in 32 bits|s/ratio = (st->success << NEWIDLE_UNIT_SHIFT)/ratio = ((u32)st->success << NEWIDLE_UNIT_SHIFT)/
ratio replaced by rate|s/min(ratio + rate/min(rate ? rate : ratio/
rate: knob ignored|s/if (READ_ONCE(set->rate) \&\& /if (/
rate: shift ignored|s/(READ_ONCE(set->rate_shift) + /(NEWIDLE_RATE_SHIFT_DEFAULT + /
rate: window ignored|s/ + shift - NEWIDLE_UNIT_SHIFT)/)/
rate: backwards clock not handled|s/ \&\& o->now > st->stamp)/)/
rate: clock taken for signed|s/o->now > st->stamp/(long long)(o->now - st->stamp) > 0/
rate: naive formula that overflows|s/rate = (o->now - st->stamp) >>/rate = ((o->now - st->stamp) * 1024 \/ 1024) >>/
stamp left behind|s/st->stamp = o->now;//
attempt: no cost booked too|s/if (o->tried \&\& !o->cost)/if (0)/
attempt: never booked|s/if (o->tried \&\& !o->cost)/if (o->tried)/
attempt: failure booked as success|s/o->pulled ? o->weight : 0/o->tried ? o->weight : 0/
# change of window
change of window ignored|s/rescale(st, window);/st->window = window;/
change of window: successes stay, wider|s/st->success <<= new - old;//
change of window: successes stay, narrower|s/st->success >>= old - new;//
change of window: calls stay, wider|s/st->calls <<= new - old;//
change of window: calls stay, narrower|s/st->calls >>= old - new;//
change of window: successes pile up|/^static void rescale/,/^}/s/.*min(.*//
change of window: for ever|s/^\tst->window = window;//
# bresenham
bresenham: not even|/^static u32 decide_bresenham/,/^}/s/st->due -= NEWIDLE_UNIT/st->due = 0/
bresenham: share smaller by one|/^static u32 decide_bresenham/,/^}/s/st->ratio + 2/st->ratio + 1/
bresenham: overflows at a ratio above 1022|s/min(st->ratio + 2, NEWIDLE_UNIT)/st->ratio + 2/
bresenham: weight always 1|/^static u32 decide_bresenham/,/^}/s/return weight_of.*/return 1;/
bresenham: one decision late|/^static u32 decide_bresenham/,/^}/s/st->due < NEWIDLE_UNIT/st->due <= NEWIDLE_UNIT/
bresenham: all CPUs in step|s/\.due     = .*/.due     = 0,/
bresenham: CPUs side by side|s/place \* NEWIDLE_PHASE_STEP/place/
bresenham: phase out of range|s/ % NEWIDLE_UNIT,/,/
# value
value: never looks again|s/ \&\& ++st->skipped < st->patience)/)/
value: always looks|s/if (!st->credit \&\& /if (0 \&\& /
value: an unknown domain is skipped|s/++st->skipped < st->patience/(!st->patience || ++st->skipped < st->patience)/
value: looks one late|s/++st->skipped < st->patience/st->skipped++ < st->patience/
value: skips not counted anew|s/^\tst->skipped = 0;//
value: a second look is no look|/^static void book_value/,/^}/s/^\tst->skipped = 0;//
value: patience fixed|s/^\t\t       ((idle > 16.*/0;/
value: patience at another idle time|s/idle > 64 \* cost/idle > 32 * cost/
value: a skip is booked|s/^\tif (!o->tried)$/\tif (0)/
value: an unknown domain without credit|s/st->credit = price \* NEWIDLE_CREDIT_START;/;/
value: cost is the last one|s/st->cost = st->cost - st->cost \/ 8 + cost \/ 8;/st->cost = cost;/
value: cost becomes unknown|s/st->cost - st->cost \/ 8 + cost \/ 8/(st->cost * 7 + cost) \/ 8/
value: pulls earn nothing|s/^\t\tcredit += idle.*/\t\t;/
value: pulls earn a hundredth|s/credit += idle \* 100;/credit += idle;/
value: failures earn|s/^\tif (o->pulled)$/\tif (1)/
value: attempts are free|s/credit = credit > price ? credit - price : 0;//
value: account overdrawn|s/credit > price ? credit - price : 0/credit - price/
value: percent ignored|s/u64 pct = READ_ONCE(set->value_cost_pct);/u64 pct = 100;/
value: no limit|s/st->credit = min(credit, .*/st->credit = credit;/
value: limit in cost, not price|s/st->cost \* pct \* NEWIDLE_CREDIT_MAX/st->cost * 100 * NEWIDLE_CREDIT_MAX/
value: limit of the last cost|s/st->cost \* pct \* NEWIDLE_CREDIT_MAX/price * NEWIDLE_CREDIT_MAX/
value: idle time not cut off|s/u64 idle = min(o->idle, LONGEST)/u64 idle = o->idle/
value: cost not cut off|s/u64 cost = min(o->cost, LONGEST)/u64 cost = o->cost/
# second look
second look: time not cut off|s/^\tidle = min(idle, LONGEST);//
second look: more spent than there is|s/spent >= idle ||/0 ||/
second look: percent ignored|s/READ_ONCE(set->retry_idle_pct)/50/
second look: one percent less|s/ \* 100 < idle \* READ/ * 100 <= idle * READ/
second look: domain that just fits|s/cost < left - spent/cost <= left - spent/
second look: sum that wraps|s/spent < left \&\& cost < left - spent/spent + cost < left/
# dice
seeds not spread|s/rng->s = seed ? seed : 1;/rng->s = 1;/
seed that stops the dice|s/rng->s = seed ? seed : 1;/rng->s = seed;/
draws from the bottom bits|s/ >> (64 - NEWIDLE_UNIT_SHIFT);/ \& 1022;/
draws of 9 bits|s/(64 - NEWIDLE_UNIT_SHIFT)/(65 - NEWIDLE_UNIT_SHIFT)/
dice that don't move on|s/rng->s = s;//
dice: a bare counter|s/s ^= s << 25;/s += 1;/
= policy.h
always: decided by dice|s/"always",    decide_always/"always",    decide_random/
stock: decided by dice|s/"stock",     decide_always/"stock",     decide_random/
random: evenly|s/decide_random,    /decide_bresenham, /
bresenham: by dice|s/decide_bresenham, /decide_random,    /
value: decided by dice|s/decide_value, /decide_random, /
value: booked in the ratio|s/decide_value,     book_value/decide_value,     book_ratio/
random: booked as value|s/decide_random,    book_ratio/decide_random,    book_value/
LIST
