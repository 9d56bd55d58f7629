// SPDX-License-Identifier: GPL-2.0-only
/*
 * The law: a CPU that goes newly idle r times a second and never finds a task
 * tries r * (ratio + 2) / 1024 times a second, with the ratio that its own
 * failures and the rate term lead to.  Simulated time, several rates.
 */
#include <math.h>
#include "unit.h"

/* Long enough for 512 calls a window at the lowest rate, over and over. */
#define SETTLE	(60 * SECOND)
#define MEASURE	(400 * SECOND)

/* Calls a second, from below where the rate term is full to a busy server. */
static const u32 rates[] = { 60, 119, 245, 500, 830, 1000, 1578, 4000, 20000 };

/* Failing attempts per second after settling, with idle periods of +- 10 %. */
static double attempts_per_second(const struct newidle_settings *set, u32 rate)
{
	u64 now = START, period = SECOND / rate, rnd = rate;
	struct newidle_state st;
	struct newidle_rng rng;
	u32 weight, attempts = 0;

	state_init(&st, set, now);
	newidle_rng_seed(&rng, rate);
	while (now < START + SETTLE + MEASURE) {
		bool tried = newidle_decide(set, &st, &rng, &weight);

		if (tried)
			account_attempt(&st, set, false, weight, 2000, now + 2000);
		else
			account(&st, set, 0, now);
		if (now >= START + SETTLE)
			attempts += tried;
		now += period - period / 10 +
		       test_below(&rnd, (u32)(period / 5) + 1);
	}
	return attempts / ((double)MEASURE / SECOND);
}

/* The ratio moves by one with the jitter: allow that beside the dice. */
static void assert_law(const struct newidle_settings *set, u32 rate,
		       double ratio)
{
	double p = fmin(1.0, (ratio + 2) / 1024);
	double mean = rate * p;
	double seconds = (double)MEASURE / SECOND;
	double sigma = sqrt(mean * (1 - p) / seconds);
	double slack = 5 * sigma + (p < 1 ? rate / 1024.0 : 0) + rate * 0.002;
	double got = attempts_per_second(set, rate);

	if (fabs(got - mean) > slack)
		fail_msg("%u calls/s: %.1f attempts/s, %.1f +- %.1f expected",
			 rate, got, mean, slack);
}

static void always(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	u32 i;

	(void)unused;
	set.policy = NEWIDLE_ALWAYS;
	for (i = 0; i < ARRAY_SIZE(rates); i++)
		assert_law(&set, rates[i], 1024);
}

static void random_alone(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	u32 i;

	(void)unused;
	/* failing all the time, the ratio halves each window down to 0 */
	state_init(&st, &set, START);
	for (i = 0; i < 9 * 512; i++)
		account(&st, &set, 0, START);
	assert_int_equal(st.ratio, 1);
	for (; i < 10 * 512; i++)
		account(&st, &set, 0, START);
	assert_int_equal(st.ratio, 0);

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		u32 rate = rates[i];
		double mean = rate * 2 / 1024.0, got, slack;

		/* settled before the measurement only from ten windows on */
		if (rate < 10 * 512 * SECOND / SETTLE)
			continue;
		got = attempts_per_second(&set, rate);
		slack = 5 * sqrt(mean * SECOND / MEASURE) + mean * 0.01;
		if (fabs(got - mean) > slack)
			fail_msg("%u calls/s: %.2f attempts/s, %.2f expected",
				 rate, got, mean);
	}
}

/* Ratio after 512 calls at r a second: 122070 / r at shift 22. */
static double ratio_by_rate(u32 rate, u32 shift)
{
	return fmin(1024, floor(512e9 / rate / (double)(1ULL << shift)));
}

static void random_with_rate(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	u32 i, shift;

	(void)unused;
	for (shift = 21; shift <= 24; shift++) {
		set.rate_shift = shift;
		for (i = 0; i < ARRAY_SIZE(rates); i++)
			assert_law(&set, rates[i],
				   ratio_by_rate(rates[i], shift));
	}
}

/* The figure that people see: about the same whatever the rate of calls. */
static void about_119_attempts_a_second(void **unused)
{
	struct newidle_settings set = newidle_defaults;
	u32 i;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		double got;

		if (rates[i] < 245 || rates[i] > 4000)
			continue;
		set.rate_shift = 22;
		got = attempts_per_second(&set, rates[i]);
		assert_true(got > 119.2 * 0.9 && got < 119.2 * 1.1);
		set.rate_shift = 23;
		got = attempts_per_second(&set, rates[i]);
		assert_true(got > 59.6 * 0.85 && got < 59.6 * 1.15);
	}
}

/* The rate term is a time per call, so the window's length does not matter. */
static void same_at_every_window(void **unused)
{
	struct newidle_settings set = newidle_defaults;

	(void)unused;
	for (set.window = 64; set.window <= 8192; set.window *= 2)
		assert_law(&set, 1578, ratio_by_rate(1578, 22));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(always),
		cmocka_unit_test(random_alone),
		cmocka_unit_test(random_with_rate),
		cmocka_unit_test(about_119_attempts_a_second),
		cmocka_unit_test(same_at_every_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
