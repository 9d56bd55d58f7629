/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to the running kernel's type information (BTF).  Process context,
 * at load only.
 */
#ifndef NEWIDLE_BTF_H
#define NEWIDLE_BTF_H

#include <linux/types.h>

struct btf;

const struct btf *newidle_btf_open(void);
int newidle_btf_member(const struct btf *btf, const char *type,
		       const char *member, u32 *offset, u32 *size);
int newidle_btf_unnamed(const struct btf *btf, const char *const members[],
			int n, u32 *offset, u32 *size);
int newidle_btf_enumerator(const struct btf *btf, const char *name, u32 *value);
int newidle_btf_prototype(const struct btf *btf, const char *func, char *buf,
			  size_t len);

#endif /* NEWIDLE_BTF_H */
