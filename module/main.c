// SPDX-License-Identifier: GPL-2.0-only
/*
 * newidle: choose the scheduler's new-idle balance policy at run time.
 *
 *	# modprobe newidle policy=random rate=1
 *	# cat /sys/kernel/newidle/state
 *	active
 *	# echo always > /sys/kernel/newidle/policy
 *	# cat /sys/kernel/newidle/stats/attempts
 *	# modprobe -r newidle
 *
 * All checks come before the livepatch is enabled; from then on init must
 * succeed, and only an admin can disable it again, through sysfs.
 */
#include "log.h"
#include <linux/module.h>
#include "domains.h"
#include "engine.h"
#include "kernel.h"
#include "knobs.h"
#include "patch.h"
#include "stats.h"
#include "symbols.h"
#include "trace.h"

static bool off;
module_param(off, bool, 0);
MODULE_PARM_DESC(off, "1: refuse to load; newidle.off=1 on the kernel command line keeps newidle out of a boot");

static char *test_absent;
module_param(test_absent, charp, 0);
MODULE_PARM_DESC(test_absent, "for tests: take this kernel symbol, or struct.member, to be missing");

#ifdef NEWIDLE_TEST
char *newidle_test_balancer;
module_param_named(test_balancer, newidle_test_balancer, charp, 0);
MODULE_PARM_DESC(test_balancer, "for tests: take this function for the balancer");
char *newidle_test_newidle;
module_param_named(test_newidle, newidle_test_newidle, charp, 0);
MODULE_PARM_DESC(test_newidle, "for tests: take this function for new-idle balance");
#endif

static struct newidle_engine engine;

/* Looks, proves, changes nothing. */
static int __init examine(void)
{
	int err;

	err = newidle_symbols_open(test_absent);
	if (!err)
		err = newidle_kernel_open();
	if (!err)
		err = newidle_engine_open(&engine, newidle_engine_wanted);
	return err;
}

static int __init newidle_init(void)
{
	int err;

	if (off) {
		pr_err("off=1 keeps it out, nothing is changed: take newidle.off from the kernel command line, or off from /etc/modprobe.d, or for once: modprobe newidle off=0\n");
		return -ECANCELED;
	}
	err = examine();
	if (err)
		return err;
	err = newidle_domains_alloc();
	if (err)
		return err;
	err = newidle_knobs_publish(&engine);
	if (err)
		goto free_domains;

	pr_info("%s: engine %s on %s, kernel's own policy %s, policy %s\n",
		THIS_MODULE->version, engine.name, engine.hooks[0].target->name,
		newidle_native_names[newidle_kernel.native],
		newidle_policy_names[newidle_settings.policy]);
	err = newidle_patch_enable(&engine);
	if (err)
		goto withdraw;
	newidle_stats_publish_domains();
	newidle_trace_tell();
	return 0;

withdraw:
	newidle_knobs_withdraw();
free_domains:
	newidle_domains_free();
	return err;
}

/* Reached only with the livepatch off: while it is on, it holds the module. */
static void __exit newidle_exit(void)
{
	newidle_patch_close();
	newidle_knobs_withdraw();
	newidle_domains_free();
	pr_info("unloaded\n");
}

module_init(newidle_init);
module_exit(newidle_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(NEWIDLE_VERSION);
MODULE_DESCRIPTION("Scheduler new-idle balance policies for a running kernel");
MODULE_AUTHOR("The newidle developers");
MODULE_INFO(livepatch, "Y");
