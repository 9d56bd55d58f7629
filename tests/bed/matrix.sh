# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154  # CACHE, TREE, BED, STATE: set elsewhere
#
# The matrix: every kernel with every engine that it can have.  What came of
# each is kept in matrix/KERNEL/ENGINE of the cache: hash, row, facts, members,
# and what the cases said.

ENGINES="gate swap"
# For one kernel and engine.
MATRIX_SECONDS=$((900 * ${SLOWER:-1}))

# Of all that decides on the results, but the kernel.
matrix_sources()
{
	(cd "$TREE" && {
		find Kbuild dkms.conf Makefile module scripts tests/vm -type f \
			! -name '*.o' ! -name '.*' ! -name '*.ko' ! -name '*.mod*'
		for file in add.sh extra facts.sh guest image judge.py list-guest-tests \
			matrix.sh run-cases kernels.list; do
			echo "tests/bed/$file"
		done
	} | LC_ALL=C sort | xargs sha256sum) | sha256sum | cut -d ' ' -f 1
}

# row DIR HASH VERDICT KERNEL RELEASE ENGINE NATIVE LOAD TESTS UNLOAD
# Verdicts: passed, refused, failed, absent.  HASH tells sources and release; it is
# empty for those that are to be tried again, of which the sources alone are kept.
row()
{
	mkdir -p "$1"
	(
		dir=$1 hash=$2
		shift 2
		IFS='|'
		echo "$*" > "$dir/row"
		echo "${hash:-$sources $1}" > "$dir/hash"
	)
}

engines_of()
{
	awk -v name="$1" '$1 == name { print $7 }' "$BED/kernels.list"
}

fact()
{
	sed -n "s/^fact $1 //p" "$facts" | tr '|' '/' | head -n 1
}

# one KERNEL RELEASE ENGINE HASH: facts, then cases, then the row
one()
{
	dir=$MATRIX/$1/$3
	facts=$dir/facts
	rm -rf "$dir"
	mkdir -p "$dir"
	limit=$(($(date +%s) + MATRIX_SECONDS))
	good=yes
	inside tools timeout "$MATRIX_SECONDS" /src/tests/bed/guest --raw \
		--engine="$3" "$1" /src/tests/bed/facts.sh > "$facts" 2>&1 || good=
	sed -n 's/^member //p' "$facts" > "$dir/members"
	[ -s "$dir/members" ] || rm "$dir/members"
	if [ "${V:-}" ]; then
		sed 's/^/       /' "$facts"
	fi

	load=$(fact load) unload=$(fact unload) native=$(fact native)
	refused=$(fact refused) wrong=$(fact failed)
	if [ -z "$good" ] || [ "$wrong" ]; then
		say "$1, $3: FAILED: ${wrong:-its guest did not end well}"
		tail -n 20 "$facts" | sed 's/^/# /'
		row "$dir" "" failed "$1" "$2" "$3" "${native:--}" "${load:--}" \
			"${wrong:-guest failed}" "${unload:--}"
		return
	fi
	case ",$(engines_of "$1")," in
	*",$3,"*)
		if [ "$refused" ]; then
			say "$1, $3: FAILED: refused, but it should work: $refused"
			row "$dir" "" failed "$1" "$2" "$3" - - "FAILED, refused: $refused" -
			return
		fi ;;
	*)
		if [ -z "$refused" ]; then
			say "$1, $3: FAILED: this engine should be refused"
			row "$dir" "" failed "$1" "$2" "$3" "$native" "$load" \
				"FAILED: should be refused" "$unload"
			return
		fi ;;
	esac
	if [ "$refused" ]; then
		say "$1, $3: refused: $refused"
		row "$dir" "$4" refused "$1" "$2" "$3" - - "refused: $refused" -
		return
	fi
	if [ "$(fact engine)" != "$3" ]; then
		say "$1, $3: FAILED: it took the engine '$(fact engine)'"
		row "$dir" "" failed "$1" "$2" "$3" "$native" "$load" \
			"took another engine" "$unload"
		return
	fi

	# shellcheck disable=SC2046
	inside tools /src/tests/bed/run-cases /vm/results $((limit - $(date +%s))) \
		"${JOBS:-$(nproc)}" \
		$(KERNELS=$1 WITHOUT=$without inside tools \
			/src/tests/bed/list-guest-tests --matrix "$3") \
		> "$dir/cases" || echo "bad the cases can't be run" >> "$dir/cases"
	cp "$CACHE"/tools/vm/results/*.tap "$dir"
	count=$(sed -n 's/^count \([0-9]*\) /\1\//p' "$dir/cases")${without:+ without $without}
	if grep -q '^bad' "$dir/cases"; then
		say "$1, $3: FAILED, $count tests pass"
		sed -n 's/^bad/#/p' "$dir/cases"
		row "$dir" "" failed "$1" "$2" "$3" "$native" "$load" "$count FAILED" "$unload"
	else
		say "$1, $3: passed, $count tests"
		row "$dir" "$4" passed "$1" "$2" "$3" "$native" "$load" "$count" "$unload"
	fi
	if [ "${V:-}" ]; then
		sed 's/^/# /' "$dir"/*.tap
	fi
}

# A kernel that can't be tried: one row.  broken KERNEL VERDICT WHY
broken()
{
	say "$1: $3"
	drop "$MATRIX/$1"
	cp "$(log_of "$(chroot_of "$1")")" "$MATRIX/$1.log" 2> /dev/null || :
	row "$MATRIX/$1/none" "" "$2" "$1" - - - - "$3" -
}

# is_done KERNEL ENGINE HASH: such results are there.
is_done()
{
	[ "$3" = "$(cat "$MATRIX/$1/$2/hash" 2> /dev/null)" ]
}

matrix_kernel()
{
	absent=$CACHE/$(chroot_of "$1")/$STATE/absent/$1
	rm -f "$absent"
	if ! (for_kernels get-kernels "$1"); then
		if [ -e "$absent" ]; then
			broken "$1" absent "not available: $(cat "$absent")"
		else
			broken "$1" failed "no headers for it; see $MATRIX/$1.log"
		fi
		return
	fi
	release=$(release_of "$1")
	drop "$MATRIX/$1/none"
	left=
	for engine in $ENGINES; do
		hash="$sources $release${without:+ without $without}"
		if is_done "$1" "$engine" "$hash" ||
		   is_done "$1" "$engine" "$sources $release"; then
			say "$1 ($release), $engine:" \
				"$(cut -d '|' -f 1 "$MATRIX/$1/$engine/row"), as found before"
		else
			left="$left $engine"
		fi
	done
	[ "$left" ] || return 0
	say "building for $1 ($release)"
	if ! (for_kernels build-module "$1" && guests "$1"); then
		broken "$1" failed "the module can't be built; see $MATRIX/$1.log"
		return
	fi
	for engine in $left; do
		one "$1" "$release" "$engine" "$hash"
	done
}

# rows NAME...: those that are there, as fields between bars
rows()
{
	for kernel; do
		for engine in none $ENGINES; do
			[ ! -e "$MATRIX/$kernel/$engine/row" ] ||
				cat "$MATRIX/$kernel/$engine/row"
		done
	done
}

print_table()
{
	awk -F '|' '
	BEGIN {
		head = "kernel|release|engine|native policy|load s|tests passed|unload s"
		n = split(head, cell); lines = 0
		for (i = 1; i <= n; i++) { at[0, i] = cell[i]; wide[i] = length(cell[i]) }
	}
	{
		lines++
		for (i = 1; i <= n; i++) {
			at[lines, i] = $(i + 1)
			if (i != 6 && length($(i + 1)) > wide[i]) wide[i] = length($(i + 1))
			if (i == 6 && length($7) > wide[i] && length($7) < 32) wide[i] = length($7)
		}
	}
	END {
		for (l = 0; l <= lines; l++) {
			line = "|"; rule = "|"
			for (i = 1; i <= n; i++) {
				line = line sprintf(" %-" wide[i] "s |", at[l, i])
				rule = rule " --- |"
			}
			print line
			if (!l) print rule
		}
	}'
}

# matrix [--again] [--without=CASE] [NAME...]
matrix()
{
	MATRIX=$CACHE/matrix
	again='' without=''
	while :; do
		case ${1:-} in
		--again) again=yes ;;
		--without=*)
			without=${1#*=}
			[ -e "$TREE/tests/vm/cases/$without.sh" ] ||
				die "there is no case $without to leave out" ;;
		-*) die "tests/run matrix $1: no such option" ;;
		*) break ;;
		esac
		shift
	done
	for kernel; do
		is_kernel "$kernel" || die "no kernel $kernel here, but: $ALL_KERNELS"
	done
	# shellcheck disable=SC2086
	[ $# -gt 0 ] || set -- $MATRIX_KERNELS
	prepare_bed
	mkdir -p "$MATRIX"
	sources=$(matrix_sources)
	# What belongs to other sources is no result of these.
	for kernel in $ALL_KERNELS; do
		for dir in "$MATRIX/$kernel"/*/; do
			case $(cat "$dir/hash" 2> /dev/null || :) in
			"$sources "*) ;;
			*) drop "$dir" ;;
			esac
		done
	done
	for kernel; do
		[ -z "$again" ] || drop "$MATRIX/$kernel"
		matrix_kernel "$kernel"
	done

	# shellcheck disable=SC2086
	rows $ALL_KERNELS | print_table > "$MATRIX/table.md"
	echo
	rows "$@" | print_table
	echo
	say "all rows that are known: $MATRIX/table.md"
	rows "$@" | awk -F '|' '
	{ n[$1]++ }
	END {
		printf "%d refused by newidle\n", n["refused"]
		printf "%d passed, %d failed, %d not available\n",
			n["passed"], n["failed"], n["absent"]
		exit n["failed"] || !n["passed"]
	}'
}
