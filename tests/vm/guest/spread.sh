# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Do two variants differ by more than each does from itself?
#
# Figures are lines "variant metric value" in the order in which they were
# measured.  For each metric the differences between neighbouring figures of
# the same variant, as shares of the mean, are the A/A pairs; their 95 %
# interval is Student's t times their root mean square.  The difference of the
# two variants' means has to lie in it.

# spread FILE A B: a line for each metric; fails if one is outside, if there
# are fewer than five pairs, or if a metric was never above zero.
spread()
{
	awk -v a="$2" -v b="$3" '
	function t(n) {
		# 97.5 % quantiles of t with n degrees of freedom
		return n < 6 ? 2.57 : n < 8 ? 2.45 : n < 10 ? 2.31 : \
			n < 12 ? 2.23 : n < 16 ? 2.18 : n < 20 ? 2.12 : 2.09
	}
	# busybox may be built without the mathematical functions.
	function root(x,	r, i) {
		r = x > 1 ? x : 1
		for (i = 0; i < 100; i++)
			r = (r + x / r) / 2
		return r
	}
	function square(x) {
		return x * x
	}
	$1 == a || $1 == b {
		if (!($2 in seen)) { seen[$2] = 1; metric[++metrics] = $2 }
		value[$1, $2, ++n[$1, $2]] = $3
		sum[$1, $2] += $3
	}
	END {
		for (m = 1; m <= metrics; m++) {
			k = metric[m]
			na = n[a, k]; nb = n[b, k]
			pairs = na + nb - 2
			mean = na + nb ? (sum[a, k] + sum[b, k]) / (na + nb) : 0
			if (na < 2 || nb < 2 || pairs < 5 || mean <= 0) {
				printf "%s: too few figures (%d pairs, mean %g)\n", k, pairs, mean
				bad++
				continue
			}
			squares = 0
			for (i = 2; i <= na; i++)
				squares += square(value[a, k, i] - value[a, k, i - 1])
			for (i = 2; i <= nb; i++)
				squares += square(value[b, k, i] - value[b, k, i - 1])
			half = t(pairs) * root(squares / pairs) / mean
			diff = (sum[b, k] / nb - sum[a, k] / na) / mean
			out = diff > half || diff < -half
			bad += out
			printf "%s: %s %.4g, %s %.4g: %+.1f %%, A/A pairs within %.1f %%%s\n",
				k, a, sum[a, k] / na, b, sum[b, k] / nb, 100 * diff,
				100 * half, out ? "  OUTSIDE" : ""
		}
		exit bad || !metrics
	}' "$1"
}

# interleave N A B...: the variants, N times each, there and back
interleave()
{
	times=$1
	shift
	there=$*
	back=
	for variant; do
		back="$variant $back"
	done
	for i in $(seq "$times"); do
		if [ $((i % 2)) = 1 ]; then
			echo "$there"
		else
			echo "$back"
		fi
	done
}
