// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy value: where trying pays it gets nearly all of what somebody gets who
 * knows the success rate, where it doesn't it loses no more than random with
 * rate.  On the loads of loads.h, each with ten seeds.
 */
#include "loads.h"
#include "unit.h"

#define SEEDS		10
#define SHARE_OF_BEST	0.85

static struct happening happenings[LOAD_EVENTS];

static struct newidle_settings with_policy(u32 policy)
{
	struct newidle_settings set = newidle_defaults;

	set.policy = policy;
	return set;
}

static void judge(const struct mix *mix, enum flavour flavour, u64 seed)
{
	const struct newidle_settings value = with_policy(NEWIDLE_VALUE);
	const struct newidle_settings rate = with_policy(NEWIDLE_RANDOM);
	struct gain v, r;

	load_make(happenings, mix, flavour, seed);
	load_play(&v, happenings, flavour, &module_rule, &value);
	load_play(&r, happenings, flavour, &module_rule, &rate);
	if (gain_best(&v) > 0 && gain_total(&v) < SHARE_OF_BEST * gain_best(&v))
		fail_msg("%s, %s, seed %lu: %.0f us of %.0f", flavour_names[flavour],
			 mix->name, seed, gain_total(&v) / 1e3, gain_best(&v) / 1e3);
	if (!gain_best(&v) && gain_total(&v) < gain_total(&r))
		fail_msg("%s, %s, seed %lu: loses %.0f us, random with rate %.0f",
			 flavour_names[flavour], mix->name, seed,
			 -gain_total(&v) / 1e3, -gain_total(&r) / 1e3);
}

static void all_mixes(enum flavour flavour)
{
	u64 seed;
	int i;

	for (i = 0; i < nr_mixes; i++) {
		for (seed = 1; seed <= SEEDS; seed++)
			judge(&mixes[i], flavour, seed);
	}
}

static void independent(void **unused)
{
	(void)unused;
	all_mixes(PLAIN);
}

static void in_bursts(void **unused)
{
	(void)unused;
	all_mixes(BURSTS);
}

static void clipped(void **unused)
{
	(void)unused;
	all_mixes(CLIPPED);
}

static void kernels_average(void **unused)
{
	(void)unused;
	all_mixes(KERNEL);
}

static void in_bursts_kernels_average(void **unused)
{
	(void)unused;
	all_mixes(BURSTS_KERNEL);
}

/* A rule that never tries, or always, would have failed those. */
static void loads_tell_apart(void **unused)
{
	const struct newidle_settings always = with_policy(NEWIDLE_ALWAYS);
	int i, pays = 0, mixed = 0;
	struct gain g;

	(void)unused;
	for (i = 0; i < nr_mixes; i++) {
		load_make(happenings, &mixes[i], PLAIN, 1);
		load_play(&g, happenings, PLAIN, &module_rule, &always);
		pays += gain_best(&g) > 0;
		mixed += gain_best(&g) > 0 && gain_total(&g) < 0.9 * gain_best(&g);
		assert_true(gain_total(&g) <= gain_best(&g));
	}
	assert_int_equal(pays, 7);
	assert_int_equal(mixed, 2);
}

struct one {
	struct newidle_settings set;
	struct newidle_state st;
	struct newidle_rng rng;
};

static struct one fresh(void)
{
	struct one v = { .set = with_policy(NEWIDLE_VALUE) };

	newidle_state_init(&v.st, &v.set, 0, START);
	newidle_rng_seed(&v.rng, 1);
	return v;
}

static bool decides(struct one *v)
{
	u32 weight;

	return newidle_decide(&v->set, &v->st, &v->rng, &weight);
}

static void attempt(struct one *v, u64 cost, bool pulled, u64 idle)
{
	const struct newidle_outcome o = {
		.tried = true,
		.pulled = pulled,
		.weight = 1,
		.cost = cost,
		.idle = idle,
		.now = START,
	};

	newidle_account(&v->st, &v->set, &o);
}

/* Unknown: tried.  Then 256 failures use up what it began with. */
static void begins_with_a_try(void **unused)
{
	struct one v = fresh();
	int tries = 0;

	(void)unused;
	while (decides(&v) && tries < 10000) {
		attempt(&v, 3000, false, 0);
		tries++;
	}
	assert_int_equal(tries, 256);
	assert_int_equal(v.st.cost, 3000);
	assert_int_equal(v.st.credit, 0);
}

/* Decisions from one look to the next, out of credit. */
static u32 patience_at(u64 cost, u64 idle)
{
	struct one v = fresh();
	u32 n;

	v.st.cost = 1;
	attempt(&v, cost, false, idle);
	assert_int_equal(v.st.credit, 0);
	for (n = 1; !decides(&v); n++)
		assert_true(n < 1000);
	return n;
}

/* The more there is to be won. */
static void looks_the_sooner(void **unused)
{
	(void)unused;
	assert_int_equal(patience_at(3000, 0), 64);
	assert_int_equal(patience_at(3000, 16 * 3000), 64);
	assert_int_equal(patience_at(3000, 16 * 3000 + 1), 32);
	assert_int_equal(patience_at(3000, 64 * 3000), 32);
	assert_int_equal(patience_at(3000, 64 * 3000 + 1), 16);
	assert_int_equal(patience_at(3000, UINT64_MAX), 16);
	assert_int_equal(patience_at(UINT64_MAX, UINT64_MAX), 64);
}

/* Out of credit: one decision in 64 exactly, for ever. */
static void looks_evenly(void **unused)
{
	struct one v = fresh();
	int i;

	(void)unused;
	v.st.cost = 1;
	attempt(&v, 3000, false, 0);
	for (i = 1; i <= 64 * 100; i++) {
		bool tried = decides(&v);

		assert_int_equal(tried, i % 64 == 0);
		if (tried)
			attempt(&v, 3000, false, 0);
	}
}

/* So the time to the next look begins with whatever look there was. */
static void second_look_is_a_look(void **unused)
{
	struct one v = fresh();
	int i;

	(void)unused;
	v.st.cost = 1;
	attempt(&v, 3000, false, 0);
	for (i = 0; i < 60; i++)
		assert_false(decides(&v));
	attempt(&v, 3000, false, 0);
	for (i = 1; i <= 64; i++)
		assert_int_equal(decides(&v), i == 64);
}

/* A pull that wins 10 attempts' time buys 10 attempts, its own included. */
static void pull_buys_attempts(void **unused)
{
	u32 pct;

	(void)unused;
	for (pct = 50; pct <= 200; pct *= 2) {
		struct one v = fresh();
		u32 tries = 1;

		v.set.value_cost_pct = pct;
		v.st.cost = 3000;
		assert_true(decides(&v));
		attempt(&v, 3000, true, 30000);
		while (decides(&v) && tries < 1000) {
			attempt(&v, 3000, false, 0);
			tries++;
		}
		assert_int_equal(tries, 1000 / pct);
	}
}

static void credit_is_limited(void **unused)
{
	struct one v = fresh();
	int i, tries = 0;

	(void)unused;
	for (i = 0; i < 10000; i++)
		attempt(&v, 3000, true, 1000000);
	while (decides(&v) && tries < 10000) {
		attempt(&v, 3000, false, 0);
		tries++;
	}
	assert_int_equal(tries, 2048);
}

static void cost_follows(void **unused)
{
	struct one v = fresh();
	int i;

	(void)unused;
	attempt(&v, 800, false, 0);
	assert_int_equal(v.st.cost, 800);
	attempt(&v, 1600, false, 0);
	assert_int_equal(v.st.cost, 900);
	for (i = 0; i < 100; i++)
		attempt(&v, 1, false, 0);
	/* down to where an eighth is nothing, never to 0, which is "unknown" */
	assert_in_range(v.st.cost, 1, 8);
	for (i = 0; i < 200; i++)
		attempt(&v, UINT64_MAX, false, 0);
	assert_in_range(v.st.cost, UINT32_MAX - 8, UINT32_MAX);
}

/* Products of the largest numbers: monotonous, not wrapped. */
static void largest_numbers(void **unused)
{
	struct one v = fresh();
	u64 credit;

	(void)unused;
	v.set.value_cost_pct = 10000;
	attempt(&v, UINT64_MAX, false, 0);
	credit = (u64)UINT32_MAX * 10000 * 255;
	assert_int_equal(v.st.credit, credit);
	attempt(&v, 1, true, UINT64_MAX);
	credit += (u64)UINT32_MAX * 100 - 10000;
	assert_int_equal(v.st.credit, credit);
	/* a small cost and long idle: cut off by the limit alone */
	v = fresh();
	v.set.value_cost_pct = 1;
	attempt(&v, 1, true, UINT64_MAX);
	assert_int_equal(v.st.credit, 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_with_a_try),
		cmocka_unit_test(looks_evenly),
		cmocka_unit_test(second_look_is_a_look),
		cmocka_unit_test(looks_the_sooner),
		cmocka_unit_test(pull_buys_attempts),
		cmocka_unit_test(credit_is_limited),
		cmocka_unit_test(cost_follows),
		cmocka_unit_test(largest_numbers),
		cmocka_unit_test(loads_tell_apart),
		cmocka_unit_test(independent),
		cmocka_unit_test(in_bursts),
		cmocka_unit_test(clipped),
		cmocka_unit_test(kernels_average),
		cmocka_unit_test(in_bursts_kernels_average),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
