// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts, enumerators and prototypes from the running kernel's BTF.
 *
 * Most of the kernel's BTF functions are not exported, so they are called
 * through static calls: a call through a pointer would be a fatal fault on
 * CPUs with indirect branch tracking (see symbols.h).
 */
#include "log.h"
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include "btf.h"
#include "symbols.h"

DEFINE_STATIC_CALL_NULL(newidle_get_btf, bpf_get_btf_vmlinux);
DEFINE_STATIC_CALL_NULL(newidle_btf_find, btf_find_by_name_kind);
DEFINE_STATIC_CALL_NULL(newidle_btf_string, btf_name_by_offset);

/* Nesting of anonymous structs, and of pointers and qualifiers. */
#define BTF_DEPTH 8

static const char *name_of(const struct btf *btf, u32 offset)
{
	return static_call(newidle_btf_string)(btf, offset) ?: "";
}

static bool is_alias(const struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

static const struct btf_type *strip_aliases(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);
	int depth;

	for (depth = 0; t && is_alias(t) && depth < BTF_DEPTH; depth++)
		t = btf_type_by_id(btf, t->type);
	return t;
}

/* Bytes of a member's type; 0 for what we never ask for (arrays, bit fields). */
static u32 size_of(const struct btf_type *t)
{
	switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return t->size;
	case BTF_KIND_PTR:
		return sizeof(void *);
	default:
		return 0;
	}
}

/**
 * newidle_btf_open() - the running kernel's BTF
 *
 * The symbols must have been opened.
 *
 * Return: the BTF, or an error pointer: -ENOENT if the kernel lacks a function
 * that reads it, -EOPNOTSUPP if the kernel has no BTF or can't read it.
 */
const struct btf *newidle_btf_open(void)
{
	unsigned long get, find, string;
	const struct btf *btf;

	if (newidle_symbol("bpf_get_btf_vmlinux", &get) ||
	    newidle_symbol("btf_find_by_name_kind", &find) ||
	    newidle_symbol("btf_name_by_offset", &string))
		return ERR_PTR(-ENOENT);
	static_call_update(newidle_get_btf, (void *)get);
	static_call_update(newidle_btf_find, (void *)find);
	static_call_update(newidle_btf_string, (void *)string);

	btf = static_call(newidle_get_btf)();
	if (!btf) {
		pr_err("this kernel is built without CONFIG_DEBUG_INFO_BTF, so newidle can't know its structs: boot a kernel that has it\n");
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (IS_ERR(btf)) {
		pr_err("this kernel can't read its own BTF type information (error %ld): not supported\n",
		       PTR_ERR(btf));
		return ERR_PTR(-EOPNOTSUPP);
	}
	return btf;
}

/* Looks into anonymous structs and unions too, as C does. */
static int find_member(const struct btf *btf, const struct btf_type *type,
		       const char *name, u32 *offset, u32 *size, int depth)
{
	const struct btf_member *m = (const void *)(type + 1);
	u32 i;

	for (i = 0; i < btf_type_vlen(type); i++, m++) {
		const struct btf_type *t = strip_aliases(btf, m->type);
		u32 bits = m->offset;

		if (BTF_INFO_KFLAG(type->info)) {
			if (BTF_MEMBER_BITFIELD_SIZE(bits))
				continue;
			bits = BTF_MEMBER_BIT_OFFSET(bits);
		}
		if (m->name_off) {
			if (strcmp(name_of(btf, m->name_off), name))
				continue;
			*offset += bits / 8;
			*size = size_of(t);
			return 0;
		}
		if (t && depth < BTF_DEPTH &&
		    (BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT ||
		     BTF_INFO_KIND(t->info) == BTF_KIND_UNION) &&
		    !find_member(btf, t, name, offset, size, depth + 1)) {
			*offset += bits / 8;
			return 0;
		}
	}
	return -ENOENT;
}

/**
 * newidle_btf_member() - where a struct's member lies
 * @btf: from newidle_btf_open()
 * @type: the struct's name
 * @member: the member's name; may be inside an anonymous struct or union
 * @offset: set to the offset, bytes
 * @size: set to the size, bytes; 0 for arrays
 *
 * Return: 0, or -ENOENT.
 */
int newidle_btf_member(const struct btf *btf, const char *type,
		       const char *member, u32 *offset, u32 *size)
{
	s32 id = static_call(newidle_btf_find)(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf_type_by_id(btf, id);

	*offset = 0;
	*size = 0;
	if (!t || newidle_is_absent(type, member))
		return -ENOENT;
	return find_member(btf, t, member, offset, size, 0);
}

/**
 * newidle_btf_unnamed() - find a struct that has no name by its members
 * @btf: from newidle_btf_open()
 * @members: their names
 * @n: how many
 * @offset: set to their offsets, bytes
 * @size: set to their sizes, bytes
 *
 * Return: 0, -ENOENT if there is none, -EEXIST if there are several.
 */
int newidle_btf_unnamed(const struct btf *btf, const char *const members[],
			int n, u32 *offset, u32 *size)
{
	const struct btf_type *t;
	int found = 0, i;
	u32 id, at, bytes;

	for (id = 1; (t = btf_type_by_id(btf, id)); id++) {
		if (BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT || t->name_off)
			continue;
		for (i = 0; i < n; i++) {
			at = 0;
			if (find_member(btf, t, members[i], &at, &bytes, BTF_DEPTH))
				break;
			offset[i] = at;
			size[i] = bytes;
		}
		if (i == n)
			found++;
	}
	if (!found)
		return -ENOENT;
	return found == 1 ? 0 : -EEXIST;
}

/**
 * newidle_btf_enumerator() - value of an enumerator
 * @btf: from newidle_btf_open()
 * @name: its name
 * @value: set to the value
 *
 * The enum itself may have no name, so all enums are searched.
 *
 * Return: 0, or -ENOENT.
 */
int newidle_btf_enumerator(const struct btf *btf, const char *name, u32 *value)
{
	const struct btf_type *t;
	u32 id, i;

	for (id = 1; (t = btf_type_by_id(btf, id)); id++) {
		const struct btf_enum *e = (const void *)(t + 1);

		if (BTF_INFO_KIND(t->info) != BTF_KIND_ENUM)
			continue;
		for (i = 0; i < btf_type_vlen(t); i++, e++) {
			if (strcmp(name_of(btf, e->name_off), name))
				continue;
			*value = e->val;
			return 0;
		}
	}
	return -ENOENT;
}

static void describe_type(const struct btf *btf, u32 id, char *buf, size_t len)
{
	const struct btf_type *t;
	int stars = 0, depth;

	for (depth = 0; depth < BTF_DEPTH; depth++) {
		t = id ? btf_type_by_id(btf, id) : NULL;
		if (!t)
			break;
		if (BTF_INFO_KIND(t->info) == BTF_KIND_PTR)
			stars++;
		else if (BTF_INFO_KIND(t->info) != BTF_KIND_CONST &&
			 BTF_INFO_KIND(t->info) != BTF_KIND_TYPE_TAG)
			break;
		id = t->type;
	}
	switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT:
		strlcat(buf, "struct ", len);
		break;
	case BTF_KIND_UNION:
		strlcat(buf, "union ", len);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		strlcat(buf, "enum ", len);
		break;
	}
	strlcat(buf, t ? name_of(btf, t->name_off) : "void", len);
	if (stars)
		strlcat(buf, " ", len);
	while (stars--)
		strlcat(buf, "*", len);
}

/**
 * newidle_btf_prototype() - a function's type in C's words
 * @btf: from newidle_btf_open()
 * @func: the function's name
 * @buf: filled with, say, "int (int, struct rq *)"
 * @len: size of @buf
 *
 * const is left out.
 *
 * Return: 0, or -ENOENT if BTF does not know the function.
 */
int newidle_btf_prototype(const struct btf *btf, const char *func, char *buf,
			  size_t len)
{
	s32 id = static_call(newidle_btf_find)(btf, func, BTF_KIND_FUNC);
	const struct btf_type *t = id < 0 ? NULL : btf_type_by_id(btf, id);
	const struct btf_param *p;
	u32 i;

	buf[0] = '\0';
	t = t ? btf_type_by_id(btf, t->type) : NULL;
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	describe_type(btf, t->type, buf, len);
	strlcat(buf, " (", len);
	p = (const void *)(t + 1);
	for (i = 0; i < btf_type_vlen(t); i++, p++) {
		if (i)
			strlcat(buf, ", ", len);
		describe_type(btf, p->type, buf, len);
	}
	strlcat(buf, ")", len);
	return 0;
}
