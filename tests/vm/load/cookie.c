// SPDX-License-Identifier: GPL-2.0-only
/*
 * cookie COMMAND [WORD...]
 *
 * Runs the command under a core-scheduling cookie of its own, which its children
 * inherit: SMT siblings then never run it together with anybody else.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE		62
#define PR_SCHED_CORE_CREATE	1
#endif
/* enum pid_type's: one task. */
#define ONE_TASK		0

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "cookie COMMAND [WORD...]\n");
		return 2;
	}
	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, ONE_TASK, 0)) {
		perror("cookie: PR_SCHED_CORE_CREATE");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
