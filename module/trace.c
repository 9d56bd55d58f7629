// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints' code: see trace.h. */
#include "log.h"
#include <linux/trace_events.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * newidle_trace_tell() - say if this kernel gives us no events
 *
 * Context: init; events are made, or not, before it.
 */
void newidle_trace_tell(void)
{
	if (!event_newidle_decide.event.type)
		pr_info("this kernel gives livepatches no trace events; the rest works\n");
}
