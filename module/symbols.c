// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of the running kernel.
 *
 * A probe that is never armed tells where the kernel's own symbol search is;
 * that one looks at vmlinux alone and shows every match, so a name that stands
 * twice or only in a module is noticed.
 */
#include "log.h"
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include "symbols.h"

/* kallsyms_on_each_match_symbol(), which 6.1 before 6.1.60 does not declare. */
typedef int each_match_fn(int (*fn)(void *data, unsigned long addr),
			  const char *name, void *data);

/* Bytes of the instruction that an indirect call must meet (ENDBR64). */
#define LANDING_PAD 4

DEFINE_STATIC_CALL_NULL(newidle_each_match, each_match_fn);
DEFINE_STATIC_CALL_NULL(newidle_ftrace_location, ftrace_location);

/* For tests: this symbol, or "struct.member", is taken to be missing. */
static const char *absent_name;

struct symbol_matches {
	unsigned long addr;
	unsigned int count;
};

static int count_match(void *data, unsigned long addr)
{
	struct symbol_matches *m = data;

	m->addr = addr;
	m->count++;
	return 0;
}

/**
 * newidle_symbols_open() - make the other functions usable
 * @absent: name of a symbol or "struct.member" to be taken as missing, or NULL
 *
 * Return: 0, or an error that was logged.
 */
int newidle_symbols_open(const char *absent)
{
	static struct kprobe probe = {
		.symbol_name = "kallsyms_on_each_match_symbol",
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long location;
	int err;

	err = register_kprobe(&probe);
	if (err) {
		pr_err("can't find the kernel's symbol search %s (%d): the kernel is too old (6.1.60 has it) or built without kprobes\n",
		       probe.symbol_name, err);
		return err;
	}
	/* May be past the landing pad; good for a direct call all the same. */
	static_call_update(newidle_each_match, (void *)probe.addr);
	unregister_kprobe(&probe);

	absent_name = absent;
	err = newidle_symbol("ftrace_location", &location);
	if (!err)
		static_call_update(newidle_ftrace_location, (void *)location);
	return err;
}

/**
 * newidle_is_absent() - is this to be taken as missing, for tests?
 * @type: a struct's name, or NULL for a symbol
 * @name: the name of its member, or of the symbol
 *
 * Return: true if so.
 */
bool newidle_is_absent(const char *type, const char *name)
{
	size_t len = type ? strlen(type) : 0;

	if (!absent_name)
		return false;
	if (!type)
		return !strcmp(absent_name, name);
	return !strncmp(absent_name, type, len) && absent_name[len] == '.' &&
	       !strcmp(absent_name + len + 1, name);
}

/**
 * newidle_symbol_optional() - address of a vmlinux symbol that may be missing
 * @name: its name
 * @addr: set to its address
 *
 * Return: 0, -ENOENT if it is missing, -EEXIST if the name is not unique.
 */
int newidle_symbol_optional(const char *name, unsigned long *addr)
{
	struct symbol_matches m = {};

	if (newidle_is_absent(NULL, name))
		return -ENOENT;
	static_call(newidle_each_match)(count_match, name, &m);
	if (m.count > 1)
		return -EEXIST;
	if (!m.count)
		return -ENOENT;
	*addr = m.addr;
	return 0;
}

/**
 * newidle_symbol() - address of a vmlinux symbol that is needed
 * @name: its name
 * @addr: set to its address
 *
 * Return: as newidle_symbol_optional(), but an error is logged.
 */
int newidle_symbol(const char *name, unsigned long *addr)
{
	int err = newidle_symbol_optional(name, addr);

	if (err)
		pr_err("kernel symbol %s is %s: this kernel build is not supported\n",
		       name, err == -EEXIST ? "not unique" : "missing");
	return err;
}

/**
 * newidle_ftrace_entry() - where ftrace hooks a function
 * @addr: the function's first byte
 *
 * Return: the address of the hook, which is the entry or the instruction
 * behind its landing pad; 0 if the function can't be traced there.
 */
unsigned long newidle_ftrace_entry(unsigned long addr)
{
	unsigned long hook = static_call(newidle_ftrace_location)(addr);

	/* Asked for an entry it tells of the first hook in the function. */
	return hook == addr || hook == addr + LANDING_PAD ? hook : 0;
}
