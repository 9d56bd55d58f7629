#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Faults in the engines: see mutants.sh.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
tests="steps agree second gate modifiers"
# shellcheck source=tests/unit/mutants.sh
. "$here/mutants.sh"

# A hundred builds must be quick: without sanitizers, and for two versions that
# differ in all that the version decides, instead of four.
QUICK=-O0
export SANITIZE="" CFLAGS=-O1 MAKEFLAGS=-j2 VERSIONS="6.12.117 6.18.15" CPPFLAGS=""
for engine in swap gate; do
	for version in 6_1_192 6_12_43; do
		name=newidle_${engine}_open
		CPPFLAGS="$CPPFLAGS -D${name}_$version=${name}_6_12_117"
	done
done

mutants <<'LIST'
= engine_swap.c
# before the lock is let go of
misfit kept|s/AT(unsigned long, rq, RQ_MISFIT) = 0;/;/
misfit dropped where CPUs are alike|s/if (static_key_enabled(newidle_running.asym_capacity))/if (1)/
task on its way ignored|s/if (READ_ONCE(AT(unsigned int, rq, RQ_TTWU_PENDING)))/if (0)/
idle_stamp not set|s/AT(u64, rq, RQ_IDLE_STAMP) = AT(u64, rq, RQ_CLOCK);/;/
CPU that goes offline pulls|s/if (!cpu_active(p.cpu))/if (0)/
not unpinned|s/^\tnewidle_unpin(rq, rf);//
not repinned|s/^\tnewidle_repin(rq, rf);//
# is it worth it?
overload flag ignored|s/is_overloaded(p->rq) \&\&/1 \&\&/
overload flag read as one byte|s/READ_ONCE(AT(int, rd, RD_OVERLOAD))/READ_ONCE(AT(char, rd, RD_OVERLOAD))/
budget: not tested before the walk|s/ \&\& !exceeds_idle(p, sd);/;/
budget: not tested in the walk|s/^\t\tif (exceeds_idle(p, sd))/\t\tif (0)/
budget: what was spent forgotten|s/>= p->cost + sd->max_newidle_lb_cost)/>= sd->max_newidle_lb_cost)/
budget: off by one|s/AVG_IDLE) >= p->cost/AVG_IDLE) > p->cost/
# the lock and the order
not unlocked|s/^\tstatic_call(newidle_unlock_rq)(p->rq);//
not locked again|s/^\tstatic_call(newidle_lock_rq)(p->rq, 0);//
locked as another class|s/(newidle_lock_rq)(p->rq, 0)/(newidle_lock_rq)(p->rq, 1)/
blocked load not updated|s/^\tstatic_call(newidle_update_blocked)(p->cpu);//
# next balance
next_balance dropped|s/^\t\t\*next_balance = p.next_balance;/;/
next_balance not noted in the walk|s/^\t\tnote_next_balance(p, sd);//
next_balance not noted without one|s/^\t\tif (!worth_it)/\t\tif (0)/
next_balance: interval not bounded|s/clamp(interval, 1UL, .*/interval;/
next_balance: the last instead of the first|s/time_after(p->next_balance, next)/time_after(next, p->next_balance)/
# costs
costs not booked|s/^\tbook_cost(sd, .*//
highest cost not raised|s/^\t\tsd->max_newidle_lb_cost = cost;//
decay dropped|s/sd->max_newidle_lb_cost \* 253 \/ 256/sd->max_newidle_lb_cost/
decay at any time|s/sd->last_decay_max_lb_cost + HZ/sd->last_decay_max_lb_cost/
decay not dated|s/^\t\tsd->last_decay_max_lb_cost = jiffies;//
blocked load not charged|s/end - \*since/end - begin/
time charged twice|s/\*since = end;//
cost rule dropped|s/cost = 3 \* sd->max_newidle_lb_cost \/ 2;/;/
cost rule for a success too|s/bumps \&\& !pulled/bumps/
cost rule for every kernel|s/bumps \&\& !pulled/!pulled/
cost rule without its cap|s/^\t\tif (bumps)$/\t\tif (0)/
cost rule without the knob|s/READ_ONCE(newidle_settings.cost_bump)/0/
cost rule whatever the knob says|s/READ_ONCE(newidle_settings.cost_bump)/newidle_dialect.bumps_cost/
cost rule with a lower cap|s/migration_cost) + 200/migration_cost)/
run queue's highest cost dropped|s/^\t\t\*max_cost = p->cost;/;/
# one domain
domain not for new-idle balance tried|s/newidle_is_wanted(sd) \&\&/1 \&\&/
tried as another kind of idle|s/sd, CPU_NEWLY_IDLE,/sd, CPU_IDLE,/
skip ends the walk|s/^\t\t\tcontinue;/\t\t\tbreak;/
skip looks whether to go on|s/^\t\t\tcontinue;/\t\t\t;/
skip not booked|s/newidle_book_skip(d, p->cpu);/;/
attempt not booked|s/^\tif (likely(d))$/\tif (0)/
policy charged with blocked load|s/p->pulled, begin, end,$/p->pulled, *since, end,/
weight lost|s/newidle_book_attempt(c, d, ours, weight/newidle_book_attempt(c, d, ours, 1/
own attempts counted twice|s/c->in_steps = true;//
own attempts for ever|s/c->in_steps = false;//
# end of the walk
a pull does not end it|s/^\tif (p->pulled)$/\tif (0)/
6.1: a task does not end it|s/READ_ONCE(AT(unsigned int, p->rq, RQ_NR_RUNNING)) > 0 ||/0 ||/
6.1: a task on its way does not end it|s/^\t\t       READ_ONCE(AT(unsigned int, p->rq, RQ_TTWU_PENDING));/0;/
6.1: continue_balancing from domain to domain|s/^\t\t\tcontinue_balancing = 1;/\t\t\t;/
6.1's rule for every kernel|s/if (newidle_dialect.stops_when_busy)$/if (1)/
6.1's rule for none|s/if (newidle_dialect.stops_when_busy)$/if (0)/
balancer's word ignored|s/return !continue_balancing;/return false;/
# what comes of it
-1 inverted|s/RQ_NR_RUNNING) != fair)/RQ_NR_RUNNING) == fair)/
-1 dropped|s/^\t\treturn -1;/\t\t;/
tasks that came by themselves ignored|s/return p->pulled ?: fair > 0;/return p->pulled;/
tasks that were pulled ignored|s/return p->pulled ?: fair > 0;/return fair > 0;/
idle_stamp not cleared|s/AT(u64, rq, RQ_IDLE_STAMP) = 0;/;/
nohz: kick dropped|s/atomic_or(NOHZ.*/;/
nohz: kick with a task too|/^\telse$/d
nohz: housekeeping ignored|s/ || !newidle_keeps_house(p->cpu) ||/ ||/
nohz: short idle ignored|s/AT(u64, p->rq, RQ_AVG_IDLE) < READ_ONCE(\*newidle_running.migration_cost) ||/0 ||/
nohz: no blocked load ignored|s/!READ_ONCE(\*newidle_running.has_blocked) ||/0 ||/
nohz: time ignored|s/time_before(jiffies, READ_ONCE(\*newidle_running.next_blocked)))/0)/
nohz: taken for granted|s/!newidle_running.has_blocked ||/0 ||/
# standing aside
works while not live|s/!READ_ONCE(newidle_live) ||/0 ||/
works under stock|s/READ_ONCE(newidle_settings.policy) == NEWIDLE_STOCK)/0)/
max_level ignored|s/^\tif (likely(d) \&\& newidle_is_too_wide(d))/\tif (0)/
second look: time on the pass|s/^\t\tbook_cost(sd, cost, p->pulled);/&\n\t\tp->cost += cost;/
second look: not charged|s/^\t\tbook_cost(sd, cost, p->pulled);//
second look: not booked|s/^\t\tcost = newidle_book_retry(c, d, p->pulled, begin,/\t\tcost = 1000; (void)(begin,/
second look: the pass not begun anew|s/^\t\tnewidle_pass_begin(c);//
second look: a pull does not end it|s/^\t\tif (p->pulled || !continue_balancing)/\t\tif (!continue_balancing)/
second look: balancer's word ignored|s/^\t\tif (p->pulled || !continue_balancing)/\t\tif (p->pulled)/
= engine_gate.c agree steps second gate modifiers
gate: other kinds of idle skipped|s/if (idle != CPU_NEWLY_IDLE)/if (0)/
gate: works while not live|s/if (!READ_ONCE(newidle_live))/if (0)/
gate: skip not booked|s/newidle_book_skip(d, this_cpu);/;/
gate: skip tries|/newidle_book_skip(d, this_cpu);/,/return 0;/s/return 0;//
gate: stock accounted|s/ours = READ_ONCE.*/ours = true;/
gate: nothing accounted|s/ours = READ_ONCE.*/ours = false;/
gate: weight lost|s/newidle_book_attempt(c, d, ours, weight/newidle_book_attempt(c, d, ours, 1/
gate: time from before the skip|s/^\tbegin = sched_clock_cpu(this_cpu);/\tbegin = 0;/
gate: lock never seen free|s/WRITE_ONCE(newidle_lock_contract, NEWIDLE_LOCK_FREE);/;/
gate: kernel's dice kept|s/\.takes_dice = true/.takes_dice = false/
gate: cost rule not refused|s/newidle_kernel.native == NEWIDLE_NATIVE_NONE \&\&/0 \&\&/
# The hook of engine swap.
= engine_gate.c steps gate
counter: counts what swap counts|s/ \&\& !c->in_steps)/)/
counter: counts while not live|s/READ_ONCE(newidle_live) \&\& !c/!c/
counter: counts other kinds of idle|s/idle == CPU_NEWLY_IDLE \&\& READ/READ/
counter: accounts|s/newidle_book_attempt(c, d, false,/newidle_book_attempt(c, d, true,/
= engine_gate.c gate second modifiers agree
gate: max_level ignored|s/^\tif (newidle_is_too_wide(d) \&\& ours/\tif (0 \&\& ours/
gate: max_level under stock too|s/^\tif (newidle_is_too_wide(d) \&\& ours/\tif (newidle_is_too_wide(d)/
second look in gate: nothing undone|s/^\t\tnewidle_undo_retry(c, this_rq, sd);//
second look in gate: undone only while live|s/^\tif (unlikely(c->undo.sd)/\tif (newidle_live \&\& unlikely(c->undo.sd)/
second look in gate: undone before the pass has ended|s/undo.sd) \&\& newidle_is_first(sd))/undo.sd))/
second look in gate: not prepared to undo|s/^\tnewidle_undo_prepare(c, .*//
second look in gate: not booked|s/^\t\tcost = newidle_book_retry(c, d, pulled, begin,/\t\tcost = 1000; (void)(begin,/
second look in gate: not charged|s/^\t\tnewidle_charge_retry(c, .*//
second look in gate: the pass not begun anew|s/^\t\tnewidle_pass_begin(c);//
second look in gate: before the end of the pass|s/ \&\& newidle_is_last(sd))/)/
second look in gate: a pull does not end it|s/^\t\tif (pulled || !continue_balancing)/\t\tif (!continue_balancing)/
second look in gate: balancer's word ignored|s/^\t\tif (pulled || !continue_balancing)/\t\tif (pulled)/
second look in gate: first look's word ignored|s/ \&\& \*continue_balancing \&\& / \&\& /
= retry.c second gate agree
second look: with work at hand|s/ || has_work(rq))/)/
second look: with a task on its way|s/^\treturn newidle_has(NEWIDLE_RQ_TTWU_PENDING) \&\&/\treturn 0 \&\&/
second look: weight of the policy|s/\.weight = 1,/.weight = 2,/
second look: taken for a first one|s/newidle_count_done(c, d, pulled, o.cost, true)/newidle_count_done(c, d, pulled, o.cost, false)/
second look: of any cost|s/!newidle_retry_fits(left, c->pass.spent, sd->max_newidle_lb_cost)/0/
undo: run queue's cost kept|s/^\tif (\*rq_max_cost > u.rq_max_cost)/\tif (0)/
undo: run queue's cost lowered below|s/^\tif (\*rq_max_cost > u.rq_max_cost)/\tif (1)/
undo: domain's cost kept|s/^\tif (!sd || sd->max_newidle_lb_cost <= u.max_cost)/\tif (1)/
undo: domain's cost raised|s/ || sd->max_newidle_lb_cost <= u.max_cost)/)/
undo: domain not looked for|s/^\twhile (sd \&\& sd != u.sd)/\tsd = (void *)u.sd;\n\twhile (0)/
undo: own attempt taken off too|s/u.others,$/u.max_cost + sd->max_newidle_lb_cost,/
undo: all of the time taken off the domain|s/u.others,$/u.total,/
undo: decay taken for the charge|s/<= 1)/<= 100)/
undo: last decay kept|s/sd->last_decay_max_lb_cost = u.last_decay;/;/
undo: not decayed|s/u.max_cost \* 253 \/ 256/u.max_cost/
undo: over and over|s/c->undo.sd = NULL;//
undo: the charged domain's own time taken off|s/^\tif (sd == last)$/\tif (0)/
charge: not raised|s/^\t\tsd->max_newidle_lb_cost = cost;//
charge: not dated|s/^\t\tsd->last_decay_max_lb_cost = jiffies;//
= domains.c modifiers
width: SMT taken for LLC|s/return NEWIDLE_SMT;/return NEWIDLE_LLC;/
width: LLC taken for a node|s/return NEWIDLE_LLC;/return NEWIDLE_NODE;/
width: NUMA taken for a node|s/sd->flags \& SD_NUMA ? NEWIDLE_ALL : NEWIDLE_NODE/NEWIDLE_NODE/
width: not kept|s/^\td->width = newidle_domain_width(sd);//
limit: told where there is no need|s/^\tif (limit == NEWIDLE_ALL || (found \& BIT(limit)))/\tif (0)/
limit: the time without is in the window|s/newidle_epoch, newidle_epoch + 1/newidle_epoch, newidle_epoch/
limit: a change is not told of|s/^\treturn true;/\treturn false;/
phases: alike on all levels|s/^#define DEPTH_STEP 61/#define DEPTH_STEP 0/
limit: the narrowest is told|s/fls(narrower) - 1/__builtin_ctz(narrower)/
= pin.h steps agree
clock flags not noted|s/AT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS) = CLOCK_UPDATED;/;/
clock flags noted at SKIP too|s/> CLOCK_SKIP)/>= CLOCK_SKIP)/
clock flags not restored|s/^\t\t\tAT(unsigned int, rf, RF_CLOCK_UPDATE_FLAGS);/\t\t\t0;/
sched_ext's clock bit kept|s/WRITE_ONCE(\*flags, .*/;/
sched_ext's clock bit without its key|s/^\t    static_key_enabled(newidle_running.scx_enabled)) {/\t    1) {/
= attempt.h steps agree second
weight doubled|s/\.weight = weight,/.weight = 2 * weight,/
weight not asked for|s/^\t\t\t\t     weight);/\t\t\t\t     \&(u32){ 0 });/
calls counted twice|s/count\.calls++/count.calls += 2/
attempts counted twice|s/count\.attempts++/count.attempts += 2/
skips counted as attempts|s/count\.skips++/count.attempts++/
skip booked as a success|s/o = { \.now = /o = { .pulled = true, .weight = 1, .now = /
accounted under stock|s/^\tif (ours)$/\tif (1)/
never accounted|s/^\tif (ours)$/\tif (0)/
window ends when the attempt began|s/\.now    = end,/.now    = begin,/
time not measured|s/end > begin ? end - begin : 0/1/
idle time not told|s/\.idle   = newidle_rq_avg_idle(rq),/.idle   = 0,/
skipped domains forgotten|s/c->pass.skipped |= BIT(d - c->level);//
= attempt.h steps agree second modifiers
pulls not counted|s/d->count.pulls += pulled;//
second look: counted as an attempt|s/d->count.retries++/d->count.attempts++/
second look: pull counted as one of the first|s/d->count.retry_pulls += pulled/d->count.pulls += pulled/
time not counted|s/d->count.cost_ns += cost;//
time of the pass forgotten|s/c->pass.spent += cost;//
counted unguarded|s/^\tnewidle_count_begin(c);//
beyond max_level: not counted|s/d->count.over_limit++;//
over budget: not counted|s/d->count.over_budget++;//
over budget: counted where nobody asks|s/ || !(sd->flags \& SD_BALANCE_NEWIDLE))/)/
over budget: a rebuilt domain is not described|s/unlikely(!d->name || d->span_weight != sd->span_weight ||/unlikely(!d->name \&\&/
over budget: a rebuilt domain is taken for the old one|s/^\t\td->sd = NULL;//
over budget: begins the policy's state|s/newidle_domain_at(c, sd);/newidle_domain_get(c, sd, c->cpu);/
decision not traced|s/^\tnewidle_trace_decision(c, d, try, .*//
decision traced as another|s/newidle_trace_decision(c, d, try, NEWIDLE_BY_POLICY/newidle_trace_decision(c, d, !try, NEWIDLE_BY_POLICY/
limit traced as budget|s/NEWIDLE_BY_LIMIT/NEWIDLE_BY_BUDGET/
end of an attempt not traced|s/^\ttrace_newidle_done(.*//
second look traced as a first one|s/trace_newidle_done(c->cpu, d, pulled, cost, retry)/trace_newidle_done(c->cpu, d, pulled, cost, false)/
= kernel.h
another lock under core scheduling|s/owner = READ_ONCE.*/owner = rq;/
LIST
