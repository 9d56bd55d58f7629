/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel's headers as the engines use, for user space.  Every
 * <linux/...> is an empty file (see Makefile) and this one comes first.  What
 * has an effect is left to the make-believe machine of world.c.
 */
#ifndef NEWIDLE_STANDIN_H
#define NEWIDLE_STANDIN_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;

#define __percpu
#define __rcu
#define __read_mostly
#define noinline	__attribute__((noinline))
#define likely(x)	(x)
#define unlikely(x)	(x)
#define BIT(n)		(1UL << (n))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(t, a, b)		((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define clamp(x, lo, hi)	((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))

#define fls(x)			((x) ? 32 - __builtin_clz(x) : 0)

#define pr_info(...)	world_log(__VA_ARGS__)
#define pr_info_ratelimited(...)	pr_info(__VA_ARGS__)
#define pr_err(...)	fprintf(stderr, __VA_ARGS__)
#define scnprintf	snprintf

void world_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The version that an object is compiled for: -DKERNEL=6,12,43 */
#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define VERSION_OF(...)		KERNEL_VERSION(__VA_ARGS__)
#define LINUX_VERSION_CODE	VERSION_OF(KERNEL)
#define CONFIG_CPU_ISOLATION	1

/* Time. */
#define HZ			250UL
#define jiffies			(world_jiffies())
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define msecs_to_jiffies(m)	(((m) * HZ + 999) / 1000)
#define sched_clock()		(world_clock())
#define sched_clock_cpu(cpu)	((void)(cpu), world_clock())

unsigned long world_jiffies(void);
u64 world_clock(void);

/* CPUs.  Their memory lies one stride apart, as a kernel's does. */
#define CPUS		8
#define CPU_STRIDE	4096
#define alloc_percpu(type)						\
	((type *)calloc(CPUS, sizeof(type) <= CPU_STRIDE ? CPU_STRIDE : 0))
#define free_percpu(p)		free(p)
#define per_cpu_ptr(p, cpu)						\
	((__typeof__(p))((char *)(p) + (size_t)(cpu) * CPU_STRIDE))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < CPUS; (cpu)++)
#define cpu_active(cpu)			world_cpu_active(cpu)

bool world_cpu_active(int cpu);

/* One CPU at a time runs here, so nothing has to be atomic. */
typedef struct {
	int counter;
} atomic_t;

#define atomic_or(bits, v)	((v)->counter |= (int)(bits))
#define atomic_inc_return(v)	(++(v)->counter)

typedef struct {
	bool taken;
} raw_spinlock_t;

#define raw_spin_is_locked(l)	((l)->taken)

typedef struct {
	unsigned int sequence;
} seqcount_t;

#define seqcount_init(s)		((s)->sequence = 0)
#define raw_write_seqcount_begin(s)	world_writes(s, false)
#define raw_write_seqcount_end(s)	world_writes(s, true)
#define read_seqcount_begin(s)		((s)->sequence)
#define read_seqcount_retry(s, seq)	((s)->sequence != (seq))

void world_writes(seqcount_t *s, bool ends);

#define rcu_read_lock()			world_rcu(1)
#define rcu_read_unlock()		world_rcu(-1)
#define rcu_dereference(p)		(world_rcu(0), (p))
#define rcu_dereference_raw(p)		(p)

void world_rcu(int step);

struct pin_cookie {
	unsigned int val;
};

#define lockdep_unpin_lock(l, cookie)	world_pin(l, cookie, false)
#define lockdep_repin_lock(l, cookie)	world_pin(l, cookie, true)

void world_pin(raw_spinlock_t *l, struct pin_cookie cookie, bool again);

/* Tracepoints are always on, and counted. */
#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(...)	__VA_ARGS__
#define TRACE_EVENT(name, proto, args, ...)				\
	void world_##name(proto);					\
	static inline bool trace_##name##_enabled(void)			\
	{								\
		return true;						\
	}								\
	static inline void trace_##name(proto)				\
	{								\
		world_##name(args);					\
	}

/* Code that is patched. */
struct static_key {
	bool enabled;
};

#define static_key_enabled(key)	((key)->enabled)

#define DEFINE_STATIC_CALL_NULL(name, type)	static type *name
#define static_call(name)			(*(name))
#define static_call_update(name, func)		((name) = (func))
#define MCOUNT_INSN_SIZE			5

/* The scheduler. */
#define HK_TYPE_SCHED	5

extern struct static_key housekeeping_overridden;
bool housekeeping_test_cpu(int cpu, int type);

enum cpu_idle_type {
	CPU_NOT_IDLE,
	CPU_IDLE,
	CPU_NEWLY_IDLE,
};

#define SD_BALANCE_NEWIDLE	1

/* Enumerators, as in the kernel; the two in the middle are of different age. */
enum {
	SD_SHARE_CPUCAPACITY   = 4,
	SD_SHARE_PKG_RESOURCES = 8,
	SD_SHARE_LLC           = 8,
	SD_NUMA                = 16,
};

struct sched_domain {
	struct sched_domain *parent;
	struct sched_domain *child;
	int level;
	int flags;
	unsigned int span_weight;
	unsigned int balance_interval;
	unsigned long last_balance;
	u64 max_newidle_lb_cost;
	unsigned long last_decay_max_lb_cost;
};

#endif /* NEWIDLE_STANDIN_H */
