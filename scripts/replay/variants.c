// SPDX-License-Identifier: GPL-2.0-only
/* Policies with their knobs, as words: "policy=random,rate=1". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "variants.h"

const char *const usual_variants[] = {
	"policy=always",
	"policy=random,rate=0",
	"policy=random,rate=1",
	"policy=random,rate=1,rate_shift=20",
	"policy=random,rate=1,rate_shift=24",
	"policy=random,rate=1,window=256",
	"policy=random,rate=1,window=8192",
	"policy=bresenham,rate=0",
	"policy=bresenham,rate=1",
	"policy=value",
	"policy=value,value_cost_pct=50",
	"policy=value,value_cost_pct=200",
	"policy=value,value_cost_pct=400",
	"policy=random,rate=0,retry=1",
	"policy=random,rate=1,retry=1",
	"policy=bresenham,rate=0,retry=1",
	"policy=value,retry=1",
	"policy=always,max_level=llc",
	"policy=random,rate=1,max_level=llc",
	"policy=value,max_level=llc",
};

const int nr_usual_variants = sizeof(usual_variants) / sizeof(usual_variants[0]);

/* Numbers among the knobs; the two others are choices. */
static const struct knob {
	const char *name;
	size_t offset;
	u32 lowest, highest;
} knobs[] = {
#define KNOB(member, low, high)	{ #member, offsetof(struct newidle_settings, member), low, high }
	KNOB(rate, 0, 1),
	KNOB(rate_shift, NEWIDLE_RATE_SHIFT_MIN, NEWIDLE_RATE_SHIFT_MAX),
	KNOB(window, NEWIDLE_WINDOW_MIN, NEWIDLE_WINDOW_MAX),
	KNOB(value_cost_pct, NEWIDLE_COST_PCT_MIN, NEWIDLE_COST_PCT_MAX),
	KNOB(retry, 0, 1),
	KNOB(retry_idle_pct, NEWIDLE_RETRY_PCT_MIN, NEWIDLE_RETRY_PCT_MAX),
};

static const char why_none[] = "is not of the form KNOB=VALUE[,KNOB=VALUE...]";

/**
 * native_words() - the policy that is what a kernel does by itself
 * @native: as the knob native says it; may be NULL
 * @length: its length
 *
 * Return: it as a variant, or NULL if unknown.
 */
const char *native_words(const char *native, size_t length)
{
	static const struct {
		const char *native, *words;
	} known[] = {
		{ "none", "policy=always" },
		{ "random", "policy=random,rate=0" },
		{ "random+rate", "policy=random,rate=1" },
	};
	size_t i;

	for (i = 0; native && i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].native) == length &&
		    !strncmp(native, known[i].native, length))
			return known[i].words;
	return NULL;
}

static bool choose(const char *const *names, int count, const char *name,
		   u32 *chosen)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!strcmp(names[i], name)) {
			*chosen = (u32)i;
			return true;
		}
	}
	return false;
}

static const char *set_number(struct newidle_settings *set, const char *name,
			      const char *text)
{
	const struct knob *k;
	unsigned long value;
	char *end;

	for (k = knobs; k < knobs + sizeof(knobs) / sizeof(knobs[0]); k++) {
		if (strcmp(k->name, name))
			continue;
		value = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || value < k->lowest ||
		    value > k->highest)
			return "has a value out of range";
		if (!strcmp(name, "window") && value & (value - 1))
			return "has a window that is no power of two";
		*(u32 *)((char *)set + k->offset) = (u32)value;
		return NULL;
	}
	return "has a knob that is not known here";
}

static const char *set_knob(struct newidle_settings *set, const char *name,
			    const char *value)
{
	if (!strcmp(name, "policy"))
		return choose(newidle_policy_names, NEWIDLE_NR_POLICIES, value,
			      &set->policy) ?
			       NULL :
			       "names no policy";
	if (!strcmp(name, "max_level"))
		return choose(newidle_level_names, NEWIDLE_NR_LEVEL_NAMES,
			      value, &set->max_level) ?
			       NULL :
			       "names no level";
	return set_number(set, name, value);
}

/**
 * variant_parse() - understand a variant
 * @words: "KNOB=VALUE[,KNOB=VALUE...]"; what is not named is as loaded
 * @native: what stock is here; may be NULL
 * @length: its length
 * @set: filled
 *
 * Return: NULL, or what is wrong with it.
 */
const char *variant_parse(const char *words, const char *native, size_t length,
			  struct newidle_settings *set)
{
	char copy[256], *word, *value, *rest = copy;
	const char *why;

	*set = newidle_defaults;
	if ((size_t)snprintf(copy, sizeof(copy), "%s", words) >= sizeof(copy))
		return "is too long";
	while ((word = strsep(&rest, ","))) {
		value = strchr(word, '=');
		if (!value)
			return why_none;
		*value++ = '\0';
		why = set_knob(set, word, value);
		if (why)
			return why;
	}
	if (set->policy != NEWIDLE_STOCK)
		return NULL;
	words = native_words(native, length);
	if (!words)
		return "is what the kernel does by itself, which the recording does not tell";
	return variant_parse(words, NULL, 0, set);
}
