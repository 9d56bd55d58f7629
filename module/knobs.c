// SPDX-License-Identifier: GPL-2.0-only
/*
 * Knobs: one table, read by sysfs files and module parameters alike.
 */
#include "log.h"
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "domains.h"
#include "engine.h"
#include "kernel.h"
#include "knobs.h"
#include "patch.h"
#include "stats.h"

struct newidle_settings newidle_settings __read_mostly = NEWIDLE_DEFAULTS;

u32 newidle_engine_wanted = NEWIDLE_ENGINE_AUTO;

/* What a value may need of the kernel or the engine. */
#define NEEDS_AVG_IDLE		BIT(0)
#define NEEDS_RQ_MAX_COST	BIT(1)
#define NEEDS_SWAP		BIT(2)	/* the knob as a whole */

/**
 * struct knob - a value that the user may set
 * @attr: its sysfs file, which also holds its name
 * @value: where it is kept
 * @choices: names of the values 0 ... @max, or NULL for a number
 * @min: smallest number
 * @max: largest number or choice
 * @power_of_two: only powers of two are good
 * @needs: what @needy can't do without
 * @needy: the value that needs it
 */
struct knob {
	struct kobj_attribute attr;
	u32 *value;
	const char *const *choices;
	u32 min, max;
	bool power_of_two;
	u32 needs, needy;
};

static const struct newidle_engine *engine;

/* A script that writes nonsense in a loop must not fill the log. */
static DEFINE_RATELIMIT_STATE(complaints, 5 * HZ, 50);

static void describe_range(const struct knob *k, char *buf, size_t len)
{
	size_t n = 0;
	u32 i;

	if (!k->choices) {
		scnprintf(buf, len, "%s%u ... %u",
			  k->power_of_two ? "a power of two, " : "",
			  k->min, k->max);
		return;
	}
	n = scnprintf(buf, len, "one of");
	for (i = 0; i <= k->max; i++)
		n += scnprintf(buf + n, len - n, " %s", k->choices[i]);
}

static int parse(const struct knob *k, const char *text, u32 *value)
{
	u32 v;

	if (k->choices) {
		for (v = 0; v <= k->max; v++) {
			if (sysfs_streq(text, k->choices[v])) {
				*value = v;
				return 0;
			}
		}
		return -EINVAL;
	}
	/* kstrtouint() takes a plus sign, which no file ever shows. */
	if (!isdigit(text[0]) || kstrtouint(text, 10, &v) ||
	    v < k->min || v > k->max || (k->power_of_two && !is_power_of_2(v)))
		return -EINVAL;
	*value = v;
	return 0;
}

/* @len counts the bytes written: a NUL among them is no end of the text. */
static int parse_or_complain(const struct knob *k, const char *text, size_t len,
			     u32 *value)
{
	char range[80];

	if (strlen(text) == len && !parse(k, text, value))
		return 0;
	if (__ratelimit(&complaints)) {
		describe_range(k, range, sizeof(range));
		if (len && text[len - 1] == '\n')
			len--;
		pr_err("%s: bad value \"%*pE\": must be %s\n",
		       k->attr.attr.name, (int)min_t(size_t, len, 40), text,
		       range);
	}
	return -EINVAL;
}

static bool is_supported(const struct knob *k)
{
	return !(k->needs & NEEDS_SWAP) || engine->books_costs;
}

/* What is missing for a value, or NULL. */
static const char *lacks(const struct knob *k, u32 value)
{
	if (value != k->needy)
		return NULL;
	if (!is_supported(k))
		return "engine swap, but the engine is gate";
	if ((k->needs & NEEDS_AVG_IDLE) && !newidle_has(NEWIDLE_RQ_AVG_IDLE))
		return "rq.avg_idle, which this kernel lacks";
	if ((k->needs & NEEDS_RQ_MAX_COST) && !newidle_has(NEWIDLE_RQ_MAX_COST))
		return "rq.max_idle_balance_cost, which this kernel lacks";
	return NULL;
}

static int check_support(const struct knob *k, u32 value)
{
	const char *what = lacks(k, value);

	if (!what)
		return 0;
	if (k->choices)
		pr_err_ratelimited("%s=%s needs %s\n", k->attr.attr.name,
				   k->choices[value], what);
	else
		pr_err_ratelimited("%s=%u needs %s\n", k->attr.attr.name,
				   value, what);
	return -EOPNOTSUPP;
}

static ssize_t knob_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	const struct knob *k = container_of(attr, struct knob, attr);
	u32 value = READ_ONCE(*k->value), v;
	ssize_t n = 0;

	if (!is_supported(k))
		return sysfs_emit(buf, "unsupported\n");
	if (!k->choices)
		return sysfs_emit(buf, "%u\n", value);
	for (v = 0; v <= k->max; v++)
		n += sysfs_emit_at(buf, n, v == value ? "%s[%s]" : "%s%s",
				   v ? " " : "", k->choices[v]);
	return n + sysfs_emit_at(buf, n, "\n");
}

static ssize_t knob_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t count)
{
	const struct knob *k = container_of(attr, struct knob, attr);
	bool limits = false;
	u32 value;
	int err;

	err = parse_or_complain(k, buf, count, &value);
	if (!err)
		err = check_support(k, is_supported(k) ? value : k->needy);
	if (err)
		return err;

	mutex_lock(&newidle_lock);
	if (newidle_patch_ended())
		err = -ESHUTDOWN;
	else if (k->value == &newidle_settings.policy)
		newidle_patch_set_policy(value);
	else if (k->value == &newidle_settings.max_level)
		limits = newidle_domains_set_limit(value);
	else
		WRITE_ONCE(*k->value, value);
	mutex_unlock(&newidle_lock);
	if (limits)
		newidle_domains_tell_limit(value);
	return err ?: count;
}

/* Runs before init, while nobody reads the settings yet. */
static int knob_param_set(const char *text, const struct kernel_param *kp)
{
	const struct knob *k = kp->arg;

	return parse_or_complain(k, text ?: "", text ? strlen(text) : 0,
				 k->value);
}

static const struct kernel_param_ops knob_param_ops = {
	.set = knob_param_set,
};

#define KNOB_PARAM(knob_name)						\
	module_param_cb(knob_name, &knob_param_ops, &knob_##knob_name, 0)

#define CHOICE_KNOB(knob_name, names, last, ...)			\
static struct knob knob_##knob_name = {					\
	.attr    = __ATTR(knob_name, 0644, knob_show, knob_store),	\
	.value   = &newidle_settings.knob_name,				\
	.choices = (names),						\
	.max     = (last),						\
	__VA_ARGS__							\
};									\
KNOB_PARAM(knob_name)

#define NUMBER_KNOB(knob_name, smallest, largest, ...)			\
static struct knob knob_##knob_name = {					\
	.attr  = __ATTR(knob_name, 0644, knob_show, knob_store),	\
	.value = &newidle_settings.knob_name,				\
	.min   = (smallest),						\
	.max   = (largest),						\
	__VA_ARGS__							\
};									\
KNOB_PARAM(knob_name)

CHOICE_KNOB(policy, newidle_policy_names, NEWIDLE_NR_POLICIES - 1,
	    .needs = NEEDS_AVG_IDLE, .needy = NEWIDLE_VALUE);
#define AND_NAME(id, name, decide, book) " " name
MODULE_PARM_DESC(policy, "one of" NEWIDLE_POLICIES(AND_NAME) " (default random)");
NUMBER_KNOB(value_cost_pct, NEWIDLE_COST_PCT_MIN, NEWIDLE_COST_PCT_MAX);
MODULE_PARM_DESC(value_cost_pct, "what value takes an attempt to cost, percent of its time, 1 ... 10000 (default 100)");
NUMBER_KNOB(rate, 0, 1);
MODULE_PARM_DESC(rate, "1 (default): add the rate term to the ratio of random and bresenham");
NUMBER_KNOB(rate_shift, NEWIDLE_RATE_SHIFT_MIN, NEWIDLE_RATE_SHIFT_MAX);
MODULE_PARM_DESC(rate_shift, "strength of the rate term, 16 ... 34 (default 22), one more halves it");
NUMBER_KNOB(window, NEWIDLE_WINDOW_MIN, NEWIDLE_WINDOW_MAX, .power_of_two = true);
MODULE_PARM_DESC(window, "decisions a window, a power of two, 64 ... 65536 (default 1024)");

NUMBER_KNOB(retry, 0, 1,
	    .needs = NEEDS_AVG_IDLE | NEEDS_RQ_MAX_COST, .needy = 1);
MODULE_PARM_DESC(retry, "1: try skipped domains after all if much idle time is left (default 0)");
NUMBER_KNOB(retry_idle_pct, NEWIDLE_RETRY_PCT_MIN, NEWIDLE_RETRY_PCT_MAX);
MODULE_PARM_DESC(retry_idle_pct, "how much, percent of the average, 1 ... 100 (default 50)");
CHOICE_KNOB(max_level, newidle_level_names, NEWIDLE_NR_LEVEL_NAMES - 1);
MODULE_PARM_DESC(max_level, "one of smt llc node all (default all): the widest domains that are tried");
NUMBER_KNOB(cost_bump, 0, 1, .needs = NEEDS_SWAP, .needy = 1);
MODULE_PARM_DESC(cost_bump, "1: a failed attempt books 3/2 of the highest cost (default 0; engine swap only)");

/* Chosen at load; the file engine shows what came of it. */
static struct knob knob_engine = {
	.attr    = { .attr = { .name = "engine" } },
	.value   = &newidle_engine_wanted,
	.choices = newidle_engine_choices,
	.max     = NEWIDLE_NR_ENGINE_CHOICES - 1,
};
KNOB_PARAM(engine);
MODULE_PARM_DESC(engine, "one of auto swap gate (default auto)");

static ssize_t engine_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", engine->name);
}

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%s\n", newidle_patch_state());
}

static ssize_t native_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  newidle_native_names[newidle_kernel.native]);
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s %s\n", THIS_MODULE->version,
			  THIS_MODULE->srcversion);
}

static ssize_t reset_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t count)
{
	static u32 one;
	static const struct knob k = {
		.attr  = { .attr = { .name = "reset" } },
		.value = &one,
		.min   = 1,
		.max   = 1,
	};
	u32 value;
	int err = parse_or_complain(&k, buf, count, &value);

	if (err)
		return err;
	mutex_lock(&newidle_lock);
	newidle_patch_reset();
	mutex_unlock(&newidle_lock);
	return count;
}

static struct kobj_attribute engine_attr = __ATTR_RO(engine);
static struct kobj_attribute state_attr = __ATTR_RO(state);
static struct kobj_attribute native_attr = __ATTR_RO(native);
static struct kobj_attribute version_attr = __ATTR_RO(version);
static struct kobj_attribute reset_attr = __ATTR_WO(reset);

static struct attribute *attrs[] = {
	&engine_attr.attr,
	&state_attr.attr,
	&native_attr.attr,
	&version_attr.attr,
	&knob_policy.attr.attr,
	&knob_value_cost_pct.attr.attr,
	&knob_rate.attr.attr,
	&knob_rate_shift.attr.attr,
	&knob_window.attr.attr,
	&knob_retry.attr.attr,
	&knob_retry_idle_pct.attr.attr,
	&knob_max_level.attr.attr,
	&knob_cost_bump.attr.attr,
	&reset_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

static struct kobject *dir;

/* What the parameters ask for; when they were set nothing was known yet. */
static int check_parameters(void)
{
	static const struct knob *const needy[] = {
		&knob_policy, &knob_retry, &knob_cost_bump
	};
	int i, err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(needy); i++)
		err = check_support(needy[i], *needy[i]->value);
	if (!err)
		newidle_domains_tell_limit(newidle_settings.max_level);
	return err;
}

/**
 * newidle_knobs_publish() - create /sys/kernel/newidle
 * @chosen: the engine in use
 *
 * Return: 0, or an error that was logged: -EOPNOTSUPP if a parameter asks for
 * what this kernel or engine can't do.
 */
int newidle_knobs_publish(const struct newidle_engine *chosen)
{
	int err;

	engine = chosen;
	err = check_parameters();
	if (err)
		return err;
	dir = kobject_create_and_add("newidle", kernel_kobj);
	if (!dir) {
		pr_err("can't create /sys/kernel/newidle\n");
		return -ENOMEM;
	}
	/* What reset works on comes first and goes last. */
	err = newidle_stats_publish(dir);
	if (err)
		goto put;
	err = sysfs_create_group(dir, &group);
	if (!err)
		return 0;
	newidle_stats_withdraw(dir);
put:
	pr_err("can't fill /sys/kernel/newidle (%d)\n", err);
	kobject_put(dir);
	return err;
}

/**
 * newidle_knobs_withdraw() - remove /sys/kernel/newidle
 *
 * Waits for readers and writers, so newidle_lock must not be held.
 */
void newidle_knobs_withdraw(void)
{
	sysfs_remove_group(dir, &group);
	newidle_stats_withdraw(dir);
	kobject_put(dir);
}
