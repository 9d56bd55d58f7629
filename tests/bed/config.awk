# SPDX-License-Identifier: GPL-2.0-only
#
# awk -f config.awk .config WANTED...: options that the configuration does not have
# as they are wanted, a line each; fails if there are any.

{ name = $1 == "#" ? $2 : substr($0, 1, index($0, "=") - 1) }
name !~ /^CONFIG_[A-Z0-9_]+$/ { next }
FNR == NR {
	have[name] = $0
	next
}
# What is off may be not set or not there.
/^# .* is not set$/ {
	if (name in have && have[name] != $0) {
		print $0 ": it has " have[name]
		bad++
	}
	next
}
/^CONFIG_/ && have[name] != $0 {
	print $0 ": it has " (name in have ? have[name] : "no such option, or what it depends on is off")
	bad++
}
END { exit bad > 0 }
