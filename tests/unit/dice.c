// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dice: are they fair, do CPUs roll different ones, and is the share of
 * attempts (ratio + 2) / 1024?  Seeds are fixed, so a run repeats exactly.
 */
#include <math.h>
#include <stdlib.h>
#include "unit.h"

#define DRAWS 1000000

/* Five standard deviations of a sum: 1 in 1.7 million by chance. */
#define SIGMAS 5

static u32 attempts_at(u32 ratio, u64 seed)
{
	struct newidle_settings set = plain_random();
	struct newidle_state st;
	struct newidle_rng rng;
	u32 weight, i, attempts = 0;

	state_init(&st, &set, START);
	st.ratio = ratio;
	newidle_rng_seed(&rng, seed);
	for (i = 0; i < DRAWS; i++)
		attempts += newidle_decide(&set, &st, &rng, &weight);
	return attempts;
}

static void share_of_attempts(void **unused)
{
	static const u32 ratios[] = {
		0, 1, 2, 10, 64, 122, 256, 511, 512, 768, 1000, 1021, 1022, 1023, 1024
	};
	double p, mean, sigma;
	u32 i, seed, n;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(ratios); i++) {
		p = fmin(1.0, (ratios[i] + 2) / 1024.0);
		mean = DRAWS * p;
		sigma = sqrt(DRAWS * p * (1 - p));
		for (seed = 0; seed < 3; seed++) {
			n = attempts_at(ratios[i], seed);
			if (fabs(n - mean) > SIGMAS * sigma)
				fail_msg("ratio %u, seed %u: %u attempts, %.0f +- %.0f expected",
					 ratios[i], seed, n, mean, sigma);
		}
	}
}

/* Statistics can't tell 513 from 512 in 1024: give each draw exactly once. */
static void share_is_exact(void **unused)
{
	struct newidle_settings set = plain_random();
	struct newidle_rng by_draw[1024], rng, r;
	u32 ratio, d, weight, attempts, i, found = 0;
	bool have[1024] = {};
	struct newidle_state st;

	(void)unused;
	newidle_rng_seed(&rng, 4);
	for (i = 0; i < 100000; i++) {
		r = rng;
		d = newidle_rng_draw(&rng);
		assert_true(d < 1024);
		found += !have[d];
		have[d] = true;
		by_draw[d] = r;
	}
	assert_int_equal(found, 1024);
	state_init(&st, &set, START);
	for (ratio = 0; ratio <= 1024; ratio++) {
		st.ratio = ratio;
		attempts = 0;
		for (d = 0; d < 1024; d++) {
			r = by_draw[d];
			attempts += newidle_decide(&set, &st, &r, &weight);
		}
		assert_int_equal(attempts, ratio + 2 < 1024 ? ratio + 2 : 1024);
	}
}

/* Chi-square of n buckets: mean n - 1, variance 2 (n - 1). */
static void assert_flat(const u32 *bucket, u32 n, double each)
{
	double x = 0;
	u32 i;

	for (i = 0; i < n; i++)
		x += (bucket[i] - each) * (bucket[i] - each) / each;
	if (fabs(x - (n - 1)) > SIGMAS * sqrt(2.0 * (n - 1)))
		fail_msg("chi-square %.0f with %u buckets", x, n);
}

static void draws_are_uniform(void **unused)
{
	static const u64 seeds[] = { 0, 1, 2, 255, UINT64_MAX, START };
	struct newidle_rng rng;
	u32 i, j;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u32 bucket[1024] = {};

		newidle_rng_seed(&rng, seeds[i]);
		for (j = 0; j < DRAWS; j++)
			bucket[newidle_rng_draw(&rng)]++;
		assert_flat(bucket, 1024, DRAWS / 1024.0);
	}
}

/* One draw tells nothing of the next, nor of the one after that. */
static void draws_are_independent(void **unused)
{
	struct newidle_rng rng;
	u32 lag, i, now, past[3] = {};

	(void)unused;
	for (lag = 1; lag <= 3; lag++) {
		u32 bucket[1024] = {};

		newidle_rng_seed(&rng, 5);
		for (i = 0; i < DRAWS; i++) {
			now = newidle_rng_draw(&rng) >> 5;
			if (i >= lag)
				bucket[past[i % lag] * 32 + now]++;
			past[i % lag] = now;
		}
		assert_flat(bucket, 1024, (DRAWS - lag) / 1024.0);
	}
}

static int compare_u64(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* CPUs have seeds that differ by 1: no two may roll alike. */
static void seeds_differ(void **unused)
{
	enum { SEEDS = 8192 };
	u64 *first = calloc(SEEDS, sizeof(*first));
	struct newidle_rng rng;
	u32 seed, i;

	(void)unused;
	assert_non_null(first);
	for (seed = 0; seed < SEEDS; seed++) {
		newidle_rng_seed(&rng, seed);
		for (i = 0; i < 6; i++)
			first[seed] = first[seed] << 10 | newidle_rng_draw(&rng);
	}
	qsort(first, SEEDS, sizeof(*first), compare_u64);
	for (i = 1; i < SEEDS; i++)
		assert_int_not_equal(first[i - 1], first[i]);
	free(first);
}

/* First draws of neighbours, as after a load, and long streams side by side. */
static void neighbours_are_independent(void **unused)
{
	struct newidle_rng a, b;
	u32 bucket[1024] = {}, seed, i, equal = 0;

	(void)unused;
	for (seed = 0; seed < DRAWS; seed++) {
		newidle_rng_seed(&a, START + seed);
		bucket[newidle_rng_draw(&a)]++;
	}
	assert_flat(bucket, 1024, DRAWS / 1024.0);

	newidle_rng_seed(&a, START);
	newidle_rng_seed(&b, START + 1);
	for (i = 0; i < DRAWS; i++)
		equal += newidle_rng_draw(&a) == newidle_rng_draw(&b);
	assert_true(fabs(equal - DRAWS / 1024.0) <
		    SIGMAS * sqrt(DRAWS / 1024.0));
}

/* An xorshift that starts at 0 stays there; this seed is the one that would. */
static void no_seed_stops_the_dice(void **unused)
{
	static const u64 seeds[] = { 0, UINT64_MAX, -0x9e3779b97f4a7c15ULL };
	struct newidle_rng rng;
	u32 i, j, zeros;

	(void)unused;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		newidle_rng_seed(&rng, seeds[i]);
		assert_int_not_equal(rng.s, 0);
		for (j = zeros = 0; j < 10000; j++)
			zeros += newidle_rng_draw(&rng) == 0;
		assert_true(zeros < 40);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(share_of_attempts),
		cmocka_unit_test(share_is_exact),
		cmocka_unit_test(draws_are_uniform),
		cmocka_unit_test(draws_are_independent),
		cmocka_unit_test(seeds_differ),
		cmocka_unit_test(neighbours_are_independent),
		cmocka_unit_test(no_seed_stops_the_dice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
