// SPDX-License-Identifier: GPL-2.0-only
/*
 * The least sched_ext scheduler: one without a function of its own, so that the
 * kernel's defaults run every task from one global queue.
 *
 *	# scx all			every ordinary task is its
 *	# scx partial			only tasks of SCHED_EXT are, others stay fair
 *	# scx under COMMAND...		become this command, as a task of SCHED_EXT
 *
 * Prints "ready" when it is on, and is on until it is ended.  It is a struct of the
 * kernel, filled by name from the kernel's own BTF; no compiler for BPF is needed.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME "nib_scx"
/* SCX_OPS_SWITCH_PARTIAL, which is an enumerator and as old as sched_ext. */
#define PARTIAL (1ULL << 3)
/* The policy's number; the C library doesn't name it. */
#define EXT 7
/* More is no struct but a mistake of ours. */
#define MAX_VALUE 65536

/* The kernel's types: the file, and where each begins, by number. */
static char *file;
static const struct btf_header *head;
static const struct btf_type **types;
static unsigned int nr_types;

static void read_file(const char *path)
{
	size_t room = 64 << 20, have = 0;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	file = malloc(room);
	if (!file)
		err(1, "memory");
	while ((got = read(fd, file + have, room - have)) > 0)
		have += got;
	close(fd);
	head = (const struct btf_header *)file;
	if (got < 0 || have < sizeof(*head) || head->magic != BTF_MAGIC)
		errx(1, "%s can't be read", path);
}

/* What follows a type, bytes. */
static size_t tail(const struct btf_type *t)
{
	const unsigned int n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

static void find_types(void)
{
	const char *at = file + head->hdr_len + head->type_off;
	const char *end = at + head->type_len;

	types = calloc(head->type_len / sizeof(**types) + 2, sizeof(*types));
	if (!types)
		err(1, "memory");
	/* Number 0 is void. */
	for (nr_types = 1; at < end; nr_types++) {
		types[nr_types] = (const struct btf_type *)at;
		at += sizeof(**types) + tail(types[nr_types]);
	}
}

static const char *name_of(uint32_t offset)
{
	return file + head->hdr_len + head->str_off + offset;
}

static unsigned int find_struct(const char *name)
{
	unsigned int i;

	for (i = 1; i < nr_types; i++)
		if (BTF_INFO_KIND(types[i]->info) == BTF_KIND_STRUCT &&
		    !strcmp(name_of(types[i]->name_off), name))
			return i;
	errx(1, "this kernel has no struct %s: no sched_ext", name);
}

/* Where the member begins, bytes. */
static size_t find_member(unsigned int type, const char *name)
{
	const struct btf_type *t = types[type];
	const struct btf_member *m = (const struct btf_member *)(t + 1);
	const struct btf_member *end = m + BTF_INFO_VLEN(t->info);
	uint32_t bits;

	for (; m < end; m++) {
		if (strcmp(name_of(m->name_off), name))
			continue;
		bits = m->offset;
		if (BTF_INFO_KFLAG(t->info))
			bits = BTF_MEMBER_BIT_OFFSET(bits);
		return bits / 8;
	}
	errx(1, "struct %s has no member %s", name_of(t->name_off), name);
}

static int bpf(int command, union bpf_attr *attr, const char *what)
{
	int fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		err(1, "%s", what);
	return fd;
}

/* A map with a type of the kernel's wants types of its owner too: here one int. */
static int load_types(void)
{
	static const struct {
		struct btf_header head;
		struct btf_type type;
		uint32_t encoding;
		char names[5];
	} __attribute__((packed)) own = {
		.head = {
			.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(own.head),
			.type_len = sizeof(own.type) + sizeof(own.encoding),
			.str_off = sizeof(own.type) + sizeof(own.encoding),
			.str_len = sizeof(own.names),
		},
		.type = { 1, BTF_KIND_INT << 24, { 4 } },
		.encoding = BTF_INT_SIGNED << 24 | 32,
		.names = "\0int",
	};
	union bpf_attr attr = {
		.btf = (uintptr_t)&own,
		.btf_size = sizeof(own),
	};

	return bpf(BPF_BTF_LOAD, &attr, "own types");
}

static int make_map(unsigned int type)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_STRUCT_OPS,
		.key_size = sizeof(uint32_t),
		.value_size = types[type]->size,
		.max_entries = 1,
		.map_flags = BPF_F_LINK,
		.map_name = NAME,
		.btf_fd = load_types(),
		.btf_vmlinux_value_type_id = type,
	};

	return bpf(BPF_MAP_CREATE, &attr, "map");
}

static void fill_map(int map, unsigned int type, uint64_t flags)
{
	static char value[MAX_VALUE];
	char *data = value + find_member(type, "data");
	unsigned int ops = find_struct("sched_ext_ops");
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)value,
	};

	if (types[type]->size > sizeof(value))
		errx(1, "struct %s is too big", name_of(types[type]->name_off));
	strcpy(data + find_member(ops, "name"), NAME);
	memcpy(data + find_member(ops, "flags"), &flags, sizeof(flags));
	bpf(BPF_MAP_UPDATE_ELEM, &attr, "struct sched_ext_ops");
}

/* It is on for as long as the link is open. */
static void switch_on(int map)
{
	union bpf_attr attr = {
		.link_create.prog_fd = map,
		.link_create.attach_type = BPF_STRUCT_OPS,
	};

	bpf(BPF_LINK_CREATE, &attr, "link");
}

static void become(char **command)
{
	const struct sched_param none = {};

	if (sched_setscheduler(0, EXT, &none))
		err(1, "SCHED_EXT");
	execvp(*command, command);
	err(127, "%s", *command);
}

int main(int argc, char **argv)
{
	unsigned int type;
	int map;

	if (argc > 2 && !strcmp(argv[1], "under"))
		become(argv + 2);
	if (argc != 2 || (strcmp(argv[1], "all") && strcmp(argv[1], "partial")))
		errx(2, "usage: scx all|partial|under COMMAND...");
	read_file("/sys/kernel/btf/vmlinux");
	find_types();
	type = find_struct("bpf_struct_ops_sched_ext_ops");
	map = make_map(type);
	fill_map(map, type, strcmp(argv[1], "all") ? PARTIAL : 0);
	switch_on(map);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
