// SPDX-License-Identifier: GPL-2.0-only
/*
 * The numbers of the policies: start, weights, window, halving, clamp, rate.
 * Expected values are worked out by hand from the documented formulas.
 */
#include <math.h>
#include "unit.h"

static void assert_state(const struct newidle_state *st, u32 calls, u64 success,
			 u32 ratio, u64 stamp)
{
	assert_int_equal(st->calls, calls);
	assert_int_equal(st->success, success);
	assert_int_equal(st->ratio, ratio);
	assert_int_equal(st->stamp, stamp);
}

/* Books n events of one kind. */
static void account_n(struct newidle_state *st,
		      const struct newidle_settings *set, u32 n, u32 success,
		      u64 now)
{
	while (n--)
		account(st, set, success, now);
}

static void defaults(void **unused)
{
	(void)unused;
	assert_int_equal(newidle_defaults.policy, NEWIDLE_RANDOM);
	assert_int_equal(newidle_defaults.rate, 1);
	assert_int_equal(newidle_defaults.rate_shift, 22);
	assert_int_equal(newidle_defaults.window, 1024);
	assert_string_equal(newidle_policy_names[NEWIDLE_STOCK], "stock");
	assert_string_equal(newidle_policy_names[NEWIDLE_ALWAYS], "always");
	assert_string_equal(newidle_policy_names[NEWIDLE_RANDOM], "random");
	assert_string_equal(newidle_policy_names[NEWIDLE_BRESENHAM], "bresenham");
	assert_string_equal(newidle_policy_names[NEWIDLE_VALUE], "value");
	assert_int_equal(newidle_defaults.value_cost_pct, 100);
	assert_int_equal(newidle_defaults.retry, 0);
	assert_int_equal(newidle_defaults.retry_idle_pct, 50);
	assert_string_equal(newidle_level_names[newidle_defaults.max_level], "all");
	assert_int_equal(newidle_defaults.cost_bump, 0);
}

/* One for each domain of each CPU: a cache line is to hold it. */
static void state_is_small(void **unused)
{
	(void)unused;
	assert_true(sizeof(struct newidle_state) <= 64);
}

/* What is left of the idle time, if it is enough. */
static void time_for_a_second_look(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	static const struct {
		u32 pct;
		u64 idle, spent, left;
	} cases[] = {
		{ 50, 1000, 0, 1000 },
		{ 50, 1000, 500, 500 },
		{ 50, 1000, 501, 0 },
		{ 100, 1000, 0, 1000 },
		{ 100, 1000, 1, 0 },
		{ 1, 1000, 990, 10 },
		{ 1, 1000, 991, 0 },
		{ 1, 1000, 1000, 0 },
		{ 1, 1000, UINT64_MAX, 0 },
		{ 50, 0, 0, 0 },
		/* cut off at 2^32 - 1, so that no product wraps */
		{ 50, UINT64_MAX, 1000, UINT32_MAX - 1000 },
		{ 100, 1ULL << 60, UINT32_MAX, 0 },
	};
	u32 i;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set.retry_idle_pct = cases[i].pct;
		assert_int_equal(newidle_retry_time(&set, cases[i].idle, cases[i].spent),
				 cases[i].left);
	}
}

/* Spent and cost together must stay below what is left. */
static void fits_a_second_look(void **unused)
{
	(void)unused;
	assert_true(newidle_retry_fits(100, 0, 99));
	assert_false(newidle_retry_fits(100, 0, 100));
	assert_true(newidle_retry_fits(100, 60, 39));
	assert_false(newidle_retry_fits(100, 60, 40));
	assert_false(newidle_retry_fits(100, 100, 0));
	assert_false(newidle_retry_fits(100, 101, 0));
	assert_false(newidle_retry_fits(100, 1, UINT64_MAX));
}

static void start_at_default_window(void **unused)
{
	struct newidle_state st;

	(void)unused;
	memset(&st, 0xff, sizeof(st));
	state_init(&st, &newidle_defaults, START);
	assert_state(&st, 512, 256, 512, START);
	assert_int_equal(st.window, 1024);
}

static void start_at_every_window(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;

	(void)unused;
	for (set.window = 64; set.window <= 65536; set.window *= 2) {
		memset(&st, 0xff, sizeof(st));
		state_init(&st, &set, START);
		assert_state(&st, set.window / 2, set.window / 4, 512, START);
		assert_int_equal(st.window, set.window);
	}
}

/* Draws until the dice let the domain be tried; gives the weight. */
static u32 weight_at(u32 ratio)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	struct newidle_rng rng;
	u32 weight = 0, draws;

	state_init(&st, &set, START);
	st.ratio = ratio;
	newidle_rng_seed(&rng, ratio);
	for (draws = 0; draws < 100000; draws++) {
		if (newidle_decide(&set, &st, &rng, &weight))
			return weight;
	}
	fail_msg("ratio %u: no attempt in %u draws", ratio, draws);
	return 0;
}

static void weight_of_every_ratio(void **unused)
{
	u32 ratio;

	(void)unused;
	assert_int_equal(weight_at(0), 1024);
	assert_int_equal(weight_at(1), 512);
	assert_int_equal(weight_at(511), 2);
	assert_int_equal(weight_at(1022), 1);
	for (ratio = 0; ratio < 1024; ratio++)
		assert_int_equal(weight_at(ratio),
				 lround(1024.0 / (1.0 + ratio)));
	assert_int_equal(weight_at(1024), 1);
}

/* No dice: they must not even be drawn from. */
static void without_dice(void **unused)
{
	static const u32 policies[] = { NEWIDLE_STOCK, NEWIDLE_ALWAYS };
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;
	struct newidle_rng rng, before;
	u32 weight, i;

	(void)unused;
	state_init(&st, &set, START);
	newidle_rng_seed(&rng, 1);
	before = rng;
	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		set.policy = policies[i];
		for (st.ratio = 0; st.ratio <= 1024; st.ratio++) {
			weight = 77;
			assert_true(newidle_decide(&set, &st, &rng, &weight));
			assert_int_equal(weight, 1);
		}
	}
	set.policy = NEWIDLE_RANDOM;
	st.ratio = 1024;
	assert_true(newidle_decide(&set, &st, &rng, &weight));
	assert_int_equal(weight, 1);
	assert_int_equal(rng.s, before.s);
}

/* Deciding books nothing: that comes with the outcome. */
static void deciding_leaves_the_state(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st, before;
	struct newidle_rng rng;
	u32 weight, i;

	(void)unused;
	state_init(&st, &set, START);
	before = st;
	newidle_rng_seed(&rng, 2);
	for (i = 0; i < 1000; i++)
		newidle_decide(&set, &st, &rng, &weight);
	assert_state(&st, before.calls, before.success, before.ratio,
		     before.stamp);
}

static void window_ends_at_its_length(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;

	(void)unused;
	state_init(&st, &set, START);
	account_n(&st, &set, 511, 0, START + 1);
	assert_state(&st, 1023, 256, 512, START);
	account(&st, &set, 0, START + 2);
	/* 256 * 1024 / 1024, then both halved */
	assert_state(&st, 512, 128, 256, START + 2);
	account_n(&st, &set, 511, 1, START + 3);
	assert_state(&st, 1023, 128 + 511, 256, START + 2);
	account(&st, &set, 0, START + 4);
	assert_state(&st, 512, 319, 639, START + 4);
}

static void window_at_every_length(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;

	(void)unused;
	for (set.window = 64; set.window <= 65536; set.window *= 2) {
		state_init(&st, &set, START);
		/* a quarter of a window of successes: half of it in all */
		account_n(&st, &set, set.window / 4, 1, START);
		account_n(&st, &set, set.window / 4 - 1, 0, START);
		assert_state(&st, set.window - 1, set.window / 2, 512, START);
		st.ratio = 3;
		account(&st, &set, 0, START + 1);
		assert_state(&st, set.window / 2, set.window / 4, 512,
			     START + 1);
	}
}

static void ratio_is_clamped(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	u32 window;

	(void)unused;
	for (window = 64; window <= 65536; window *= 1024) {
		set.window = window;
		state_init(&st, &set, START);
		st.success = 0;
		st.calls = 0;
		account_n(&st, &set, window, 1, START);
		assert_int_equal(st.ratio, 1024);
		assert_int_equal(st.success, window / 2);

		/* every success stands for a thousand skips: 2^26 in all */
		st.success = 0;
		st.calls = 0;
		account_n(&st, &set, window, 1024, START);
		assert_int_equal(st.ratio, 1024);
		assert_int_equal(st.success, (u64)window * 512);
	}
}

/* 64-bit, or a success count of 2^26 would be cut off when it is scaled. */
static void heavy_successes_at_the_widest_window(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;

	(void)unused;
	set.window = 65536;
	state_init(&st, &set, START);
	/* 2^22 * 1024 is 2^32: 0 in 32 bits */
	st.success = 1U << 22;
	st.calls = 65535;
	account(&st, &set, 0, START);
	assert_state(&st, 32768, 1U << 21, 1024, START);
	/* 2^15 * 1024 / 65536 */
	st.success = 1U << 15;
	st.calls = 65535;
	account(&st, &set, 0, START);
	assert_state(&st, 32768, 1U << 14, 512, START);
}

static void attempts_by_outcome(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;

	(void)unused;
	state_init(&st, &set, START);
	account_attempt(&st, &set, true, 37, 1, START + 1);
	assert_state(&st, 513, 256 + 37, 512, START);
	account_attempt(&st, &set, false, 37, 1, START + 2);
	assert_state(&st, 514, 256 + 37, 512, START);
	account_attempt(&st, &set, true, 1, UINT64_MAX, START + 3);
	assert_state(&st, 515, 256 + 38, 512, START);
}

static void attempt_without_cost_is_not_booked(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;

	(void)unused;
	state_init(&st, &set, START);
	st.calls = 1023;
	account_attempt(&st, &set, true, 1024, 0, START + SECOND);
	account_attempt(&st, &set, false, 1, 0, START + SECOND);
	assert_state(&st, 1023, 256, 512, START);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(state_is_small),
		cmocka_unit_test(time_for_a_second_look),
		cmocka_unit_test(fits_a_second_look),
		cmocka_unit_test(start_at_default_window),
		cmocka_unit_test(start_at_every_window),
		cmocka_unit_test(weight_of_every_ratio),
		cmocka_unit_test(without_dice),
		cmocka_unit_test(deciding_leaves_the_state),
		cmocka_unit_test(window_ends_at_its_length),
		cmocka_unit_test(window_at_every_length),
		cmocka_unit_test(ratio_is_clamped),
		cmocka_unit_test(heavy_successes_at_the_widest_window),
		cmocka_unit_test(attempts_by_outcome),
		cmocka_unit_test(attempt_without_cost_is_not_booked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
