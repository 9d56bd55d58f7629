// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rate term, clocks that misbehave, and a window changed under way.
 * Expected values are worked out by hand from the documented formulas.
 */
#include "unit.h"

/* Ratio after a window without a success that took so long. */
static u32 ratio_after(const struct newidle_settings *set, u64 elapsed)
{
	struct newidle_state st;

	state_init(&st, set, START);
	st.calls = set->window - 1;
	st.success = 0;
	account(&st, set, 0, START + elapsed);
	assert_int_equal(st.stamp, START + elapsed);
	return st.ratio;
}

static void rate_term(void **unused)
{
	static const struct {
		u32 shift, window;
		u64 elapsed;
		u32 ratio;
	} cases[] = {
		/* at the default window: elapsed >> shift */
		{ 22, 1024, 0, 0 },
		{ 22, 1024, (1U << 22) - 1, 0 },
		{ 22, 1024, 1U << 22, 1 },
		{ 22, 1024, 64ULL << 22, 64 },
		{ 22, 1024, 270000000, 64 },
		{ 22, 1024, (1024ULL << 22) - 1, 1023 },
		{ 22, 1024, 1024ULL << 22, 1024 },
		{ 22, 1024, 4300000000, 1024 },
		{ 23, 1024, (1U << 23) - 1, 0 },
		{ 23, 1024, 64ULL << 22, 32 },
		{ 23, 1024, 1024ULL << 22, 512 },
		{ 23, 1024, 1024ULL << 23, 1024 },
		{ 16, 1024, 65536, 1 },
		{ 34, 1024, (1ULL << 34) - 1, 0 },
		{ 34, 1024, 7ULL << 34, 7 },
		/* a window of another length is worth as much per call */
		{ 22, 64, 1U << 22, 16 },
		{ 22, 64, 1U << 18, 1 },
		{ 22, 64, (1U << 18) - 1, 0 },
		{ 22, 65536, 1U << 28, 1 },
		{ 22, 65536, (1U << 28) - 1, 0 },
		{ 16, 64, 4096, 1 },
		{ 16, 64, 4095, 0 },
		{ 34, 65536, 3ULL << 40, 3 },
		{ 34, 65536, (1ULL << 40) - 1, 0 },
		/* times 1024 these are 0 in 64 bits */
		{ 22, 1024, 1ULL << 54, 1024 },
		{ 34, 65536, 1ULL << 63, 1024 },
		{ 34, 64, 1ULL << 54, 1024 },
	};
	struct newidle_settings set = newidle_defaults;
	u32 i;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		set.rate = 1;
		set.rate_shift = cases[i].shift;
		set.window = cases[i].window;
		if (ratio_after(&set, cases[i].elapsed) != cases[i].ratio)
			fail_msg("shift %u window %u elapsed %lu: %u", cases[i].shift,
				 cases[i].window, cases[i].elapsed,
				 ratio_after(&set, cases[i].elapsed));
		set.rate = 0;
		assert_int_equal(ratio_after(&set, cases[i].elapsed), 0);
	}
}

static void rate_adds_to_successes(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;

	(void)unused;
	state_init(&st, &set, START);
	st.calls = 1023;
	st.success = 300;
	account(&st, &set, 0, START + (100ULL << 22));
	assert_int_equal(st.ratio, 400);
	/* together beyond the limit */
	st.calls = 1023;
	st.success = 1000;
	account(&st, &set, 0, st.stamp + (100ULL << 22));
	assert_int_equal(st.ratio, 1024);
}

/* The rate looks at the time since the last window's end, not since start. */
static void rate_counts_from_the_last_window(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;
	u32 i;

	(void)unused;
	state_init(&st, &set, START);
	st.success = 0;
	for (i = 1; i <= 5 * 512; i++) {
		account(&st, &set, 0, START + (u64)i * 1000000);
		/* 512 ms are 2^29 ns less 4.6 %: 122 */
		if (i % 512 == 0) {
			assert_int_equal(st.ratio, 122);
			assert_int_equal(st.stamp, START + (u64)i * 1000000);
		}
	}
}

static void longest_time_there_is(void **unused)
{
	static const u32 windows[] = { 64, 1024, 65536 };
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;
	u32 i;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		set.window = windows[i];
		for (set.rate_shift = 16; set.rate_shift <= 34; set.rate_shift++) {
			state_init(&st, &set, 0);
			st.calls = set.window - 1;
			account(&st, &set, 0, UINT64_MAX);
			assert_int_equal(st.ratio, 1024);
			assert_int_equal(st.stamp, UINT64_MAX);
		}
	}
}

static void clock_goes_backwards(void **unused)
{
	static const u64 back[] = { 1, SECOND, START };
	struct newidle_settings set = newidle_defaults;
	struct newidle_state st;
	u32 i;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(back); i++) {
		state_init(&st, &set, START);
		st.calls = 1023;
		st.success = 10;
		account(&st, &set, 0, START - back[i]);
		/* no time has passed, and it counts from there on */
		assert_int_equal(st.ratio, 10);
		assert_int_equal(st.stamp, START - back[i]);
		st.calls = 1023;
		st.success = 0;
		account(&st, &set, 0, st.stamp + (9ULL << 22));
		assert_int_equal(st.ratio, 9);
	}
	/* as far back as can be */
	state_init(&st, &set, UINT64_MAX);
	st.calls = 1023;
	st.success = 10;
	account(&st, &set, 0, 0);
	assert_int_equal(st.ratio, 10);
	assert_int_equal(st.stamp, 0);
}

static void wider_window_under_way(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	u32 i;

	(void)unused;
	state_init(&st, &set, START);
	for (i = 0; i < 88; i++)
		account(&st, &set, 1, START);
	assert_int_equal(st.calls, 600);
	assert_int_equal(st.success, 344);

	set.window = 4096;
	account(&st, &set, 0, START);
	assert_int_equal(st.window, 4096);
	assert_int_equal(st.calls, 4 * 600 + 1);
	assert_int_equal(st.success, 4 * 344);
	/* the ratio is the last full window's, until this one is full */
	assert_int_equal(st.ratio, 512);
	for (i = 2401; i < 4095; i++)
		account(&st, &set, 0, START);
	assert_int_equal(st.ratio, 512);
	account(&st, &set, 0, START);
	assert_int_equal(st.ratio, 344);
	assert_int_equal(st.calls, 2048);
}

static void narrower_window_under_way(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;

	(void)unused;
	state_init(&st, &set, START);
	st.calls = 1023;
	st.success = 767;
	set.window = 64;
	/* 63 and 47 of 64; this call fills the window */
	account(&st, &set, 0, START);
	assert_int_equal(st.window, 64);
	assert_int_equal(st.ratio, 47 * 1024 / 64);
	assert_int_equal(st.calls, 32);
	assert_int_equal(st.success, 23);
}

/* Whatever is done to the window, the share in the books stays. */
static void window_there_and_back(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	u32 from, to;

	(void)unused;
	for (from = 64; from <= 65536; from *= 2) {
		for (to = 64; to <= 65536; to *= 2) {
			set.window = from;
			state_init(&st, &set, START);
			set.window = to;
			account(&st, &set, 0, START);
			assert_int_equal(st.calls, to / 2 + 1);
			assert_int_equal(st.success, to / 4);
			assert_int_equal(st.window, to);
			assert_int_equal(st.ratio, 512);
		}
	}
}

/*
 * Narrowing cuts off calls; the heavy successes booked with them must not
 * pile up when the user goes to and fro.
 */
static void window_to_and_fro(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	u32 i;

	(void)unused;
	set.window = 65536;
	state_init(&st, &set, START);
	for (i = 0; i < 200000; i++) {
		set.window = i % 1000 ? 65536 : 64;
		account(&st, &set, 1024, START);
		assert_true(st.calls < set.window);
		assert_true(st.success <= (u64)set.window * 1024);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_term),
		cmocka_unit_test(rate_adds_to_successes),
		cmocka_unit_test(rate_counts_from_the_last_window),
		cmocka_unit_test(longest_time_there_is),
		cmocka_unit_test(clock_goes_backwards),
		cmocka_unit_test(wider_window_under_way),
		cmocka_unit_test(narrower_window_under_way),
		cmocka_unit_test(window_there_and_back),
		cmocka_unit_test(window_to_and_fro),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
