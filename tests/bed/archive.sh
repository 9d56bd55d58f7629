# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Where Debian packages come from: whatever this machine's own apt uses.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# archive LABEL: the first Debian archive with that label that apt knows.
archive()
{
	# shellcheck disable=SC2016  # apt's variables
	uri=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
			'Identifier: Packages' 2> /dev/null |
		awk -F '|' -v label="$1" '$1 == "Debian" && $2 == label { print $3; exit }')
	case $uri in
	mirror+file:*)
		# A list of mirrors in a file that the chroots don't have.
		file=${uri#mirror+file:}
		uri=$(sed 's/#.*//' "${file%/}" | awk 'NF { print $1; exit }') ;;
	esac
	[ -z "$uri" ] || echo "${uri%/}"
}

# has_suite ARCHIVE SUITE: can it be had from there?
has_suite()
{
	probe=$(mktemp)
	for file in InRelease Release; do
		if /usr/lib/apt/apt-helper download-file "$1/dists/$2/$file" \
			"$probe" > /dev/null 2>&1; then
			rm -f "$probe"
			return 0
		fi
	done
	rm -f "$probe"
	return 1
}

# The machine's apt may know one of the two archives alone, or other releases;
# the missing archive is looked for beside the other.
find_archives()
{
	MAIN=$(archive Debian)
	SECURITY=$(archive Debian-Security)
	if [ -z "$MAIN$SECURITY" ]; then
		say "apt-get update on this machine, to learn where its packages come from"
		apt-get -qq update || :
		MAIN=$(archive Debian)
		SECURITY=$(archive Debian-Security)
	fi
	[ "$MAIN$SECURITY" ] ||
		die "this machine's apt knows no Debian archive; does 'apt-get update' work?"
	: "${MAIN:=$(echo "$SECURITY" | sed 's|/debian-security$|/debian|')}"
	: "${SECURITY:=$(echo "$MAIN" | sed 's|/debian$|/debian-security|')}"
	export MAIN SECURITY
}

# sources SUITE [MORE...]: lines for sources.list; the security archive is left
# out where there is none, as point releases bring the same packages later.
sources()
{
	for suite; do
		echo "deb [signed-by=$KEYRING] $MAIN $suite main"
	done
	if has_suite "$SECURITY" "$1-security"; then
		echo "deb [signed-by=$KEYRING] $SECURITY $1-security main"
	else
		say "no $1-security to be had; going on without" >&2
	fi
}

# How this machine's apt reaches its archives (proxies, checks), for the
# chroots' apt.  A program that finds a proxy exists only here.
apt_options()
{
	apt-config dump --no-empty --format '%F "%v";%n' Acquire |
		grep -E '^Acquire::(http|https|ftp|Check-|ForceIP|Allow|Max-FutureTime)' |
		grep -vi 'auto-detect'
	echo 'Acquire::Retries "3";'
	echo 'Acquire::Languages "none";'
	echo 'APT::Install-Recommends "false";'
}

# The only package that this machine needs for the tests.
need_mmdebstrap()
{
	command -v mmdebstrap > /dev/null && return
	say "installing mmdebstrap on this machine"
	install="apt-get -qq -y --no-install-recommends install mmdebstrap"
	export DEBIAN_FRONTEND=noninteractive
	$install > "$CACHE/mmdebstrap.log" 2>&1 || {
		apt-get -qq update && $install
	} >> "$CACHE/mmdebstrap.log" 2>&1 || {
		tail -n 20 "$CACHE/mmdebstrap.log" >&2
		die "mmdebstrap can't be installed"
	}
}
