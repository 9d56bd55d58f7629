/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: every decision, and every attempt that has come back.
 *
 *	newidle:newidle_decide	a domain is tried, or skipped and why
 *	newidle:newidle_done	what came of an attempt, or of one of a second look
 *
 * They are hit where the counters grow, and so agree with them: decided to try,
 * and done without retry, are attempts; skipped by policy, skips, and for other
 * reasons none; done with retry, retries.  Switched off each is a jump over it.
 *
 * A kernel that takes a livepatch's mark for a bad taint (6.1) gives it no
 * events; newidle_trace_tell() says so.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM newidle

#if !defined(NEWIDLE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NEWIDLE_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include "domains.h"

/*
 * Who said that a domain is tried or skipped: the policy; the kernel's budget,
 * because the pass has cost as much as this CPU idles on average; max_level.
 * Numbers, so that readers of a recording need no table.
 */
#define NEWIDLE_BY_POLICY	0
#define NEWIDLE_BY_BUDGET	1
#define NEWIDLE_BY_LIMIT	2

/* Laid out as the kernel's own events. */
/* clang-format off */
TRACE_EVENT(newidle_decide,
	TP_PROTO(int cpu, const struct newidle_domain *d, bool try,
		 unsigned int reason, u64 avg_idle),
	TP_ARGS(cpu, d, try, reason, avg_idle),
	TP_STRUCT__entry(
		__field(u64, avg_idle)
		__field(int, cpu)
		__field(int, depth)
		__field(unsigned int, ratio)
		__field(bool, tried)
		__field(unsigned char, reason)
		__array(char, level, 8)
	),
	TP_fast_assign(
		__entry->avg_idle = avg_idle;
		__entry->cpu = cpu;
		__entry->depth = d->depth;
		__entry->ratio = d->state.ratio;
		__entry->tried = try;
		__entry->reason = reason;
		strscpy(__entry->level, d->name, sizeof(__entry->level));
	),
	TP_printk("cpu=%d depth=%d level=%s decision=%s reason=%s ratio=%u avg_idle=%llu",
		  __entry->cpu, __entry->depth, __entry->level,
		  __entry->tried ? "try" : "skip",
		  __print_symbolic(__entry->reason,
				   { NEWIDLE_BY_POLICY, "policy" },
				   { NEWIDLE_BY_BUDGET, "budget" },
				   { NEWIDLE_BY_LIMIT, "limit" }),
		  __entry->ratio, __entry->avg_idle)
);

TRACE_EVENT(newidle_done,
	TP_PROTO(int cpu, const struct newidle_domain *d, bool pulled,
		 u64 cost_ns, bool retry),
	TP_ARGS(cpu, d, pulled, cost_ns, retry),
	TP_STRUCT__entry(
		__field(u64, cost_ns)
		__field(int, cpu)
		__field(int, depth)
		__field(bool, pulled)
		__field(bool, retry)
		__array(char, level, 8)
	),
	TP_fast_assign(
		__entry->cost_ns = cost_ns;
		__entry->cpu = cpu;
		__entry->depth = d->depth;
		__entry->pulled = pulled;
		__entry->retry = retry;
		strscpy(__entry->level, d->name, sizeof(__entry->level));
	),
	TP_printk("cpu=%d depth=%d level=%s pulled=%d cost_ns=%llu retry=%d",
		  __entry->cpu, __entry->depth, __entry->level,
		  __entry->pulled, __entry->cost_ns, __entry->retry)
);
/* clang-format on */

void newidle_trace_tell(void);

#endif /* NEWIDLE_TRACE_H */

/* Where <trace/define_trace.h> finds this file; Kbuild gives it the path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH module
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
