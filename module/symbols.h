/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of the running kernel's own symbols.  Process context, at load
 * only.
 *
 * A kernel function that is not exported must never be called through a
 * pointer: with indirect branch tracking (CONFIG_X86_KERNEL_IBT) the kernel
 * has removed its landing pad and the call is fatal.  Call it by static_call().
 */
#ifndef NEWIDLE_SYMBOLS_H
#define NEWIDLE_SYMBOLS_H

#include <linux/types.h>

int newidle_symbols_open(const char *absent);
bool newidle_is_absent(const char *type, const char *name);
int newidle_symbol(const char *name, unsigned long *addr);
int newidle_symbol_optional(const char *name, unsigned long *addr);
unsigned long newidle_ftrace_entry(unsigned long addr);

#endif /* NEWIDLE_SYMBOLS_H */
