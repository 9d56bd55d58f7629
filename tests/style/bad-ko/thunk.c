// SPDX-License-Identifier: GPL-2.0-only
/* Wrong: calls a kernel function through a pointer; retpolines hide the call. */
#include "pointer.h"

static int __init thunk_init(void)
{
	int (*nr_processes)(void) = address_of("nr_processes");

	return nr_processes && nr_processes() ? 0 : -ENOENT;
}
module_init(thunk_init);
