#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Faults in policy.c: see mutants.sh.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tests="numbers rate model properties dice law"
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
dice: skip at d = w too|s/newidle_rng_draw(rng) > share/newidle_rng_draw(rng) >= share/
dice: share smaller by one|s/u32 share = 1 + st->ratio/u32 share = st->ratio ? st->ratio : 1/
dice: rolled at ratio 1024 too|s/st->ratio >= NEWIDLE_UNIT)/st->ratio > NEWIDLE_UNIT)/
dice: rolled under always|s/!= NEWIDLE_RANDOM ||/== NEWIDLE_STOCK ||/
dice: rolled under stock|s/!= NEWIDLE_RANDOM ||/== NEWIDLE_ALWAYS ||/
weight doubled|s/\*weight = (NEWIDLE_UNIT/*weight = 2 * (NEWIDLE_UNIT/
weight cut off instead of rounded|s/(NEWIDLE_UNIT + share \/ 2) \/ share/NEWIDLE_UNIT \/ share/
weight always 1|s/\*weight = (NEWIDLE_UNIT.*/*weight = 1;/
weight not set without dice|s/^\t\*weight = 1;//
# accounting
success not booked|s/st->success += success;//
success booked as 1|s/st->success += success;/st->success += !!success;/
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
rate: backwards clock not handled|s/ \&\& now > st->stamp)/)/
rate: clock taken for signed|s/now > st->stamp/(long long)(now - st->stamp) > 0/
rate: naive formula that overflows|s/rate = (now - st->stamp) >>/rate = ((now - st->stamp) * 1024 \/ 1024) >>/
stamp left behind|s/st->stamp = now;//
attempt: no cost booked too|s/if (cost)/if (cost || 1)/
attempt: never booked|s/if (cost)/if (cost > 1)/
attempt: failure booked as success|s/pulled ? weight : 0/weight/
attempt: weight lost|s/pulled ? weight : 0/pulled/
# change of window
change of window ignored|s/rescale(st, window);/st->window = window;/
change of window: successes stay, wider|s/st->success <<= new - old;//
change of window: successes stay, narrower|s/st->success >>= old - new;//
change of window: calls stay, wider|s/st->calls <<= new - old;//
change of window: calls stay, narrower|s/st->calls >>= old - new;//
change of window: successes pile up|/^static void rescale/,/^}/s/.*min(.*//
change of window: for ever|s/^\tst->window = window;//
# dice
seeds not spread|s/rng->s = seed ? seed : 1;/rng->s = 1;/
seed that stops the dice|s/rng->s = seed ? seed : 1;/rng->s = seed;/
draws from the bottom bits|s/ >> (64 - NEWIDLE_UNIT_SHIFT);/ \& 1022;/
draws of 9 bits|s/(64 - NEWIDLE_UNIT_SHIFT)/(65 - NEWIDLE_UNIT_SHIFT)/
dice that don't move on|s/rng->s = s;//
dice: a bare counter|s/s ^= s << 25;/s += 1;/
LIST
