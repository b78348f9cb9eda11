# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts of packaging/ share: read by each of them, run by nobody.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another version is for trying out how one is upgraded.
version=${BELAY_PACKAGE_VERSION:-$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$root/meson.build")}
BELAY_COMMIT=$("$root/tools/commit")
export BELAY_COMMIT

# Every file in a package has the time of the commit, so that two builds of one
# commit give the same bytes.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
	SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) ||
		SOURCE_DATE_EPOCH=$(date -r "$root/CHANGELOG.md" +%s)
fi
export SOURCE_DATE_EPOCH

# Who packages, for Debian: as dpkg's own tools take it, else who made the commit.
maintainer=${DEBFULLNAME:-}
if [ -n "$maintainer" ]; then
	maintainer="$maintainer <${DEBEMAIL:?}>"
else
	maintainer=$(git -C "$root" log -1 --format='%cn <%ce>' 2>/dev/null) ||
		maintainer='belay <root@localhost>'
fi
export maintainer

# Names of one machine: ours (of uname), Debian's, npm's.
debian_machine() { case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; esac; }
npm_machine() { case $1 in x86_64) echo x64 ;; aarch64) echo arm64 ;; esac; }

say() { echo "== $*"; }
fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# pack FILE FOLDER [TAR OPTIONS...]: what is in FOLDER as a .tar.gz without the
# names, numbers and times of this machine
pack() {
	local file=$1 folder=$2
	shift 2
	tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
		--numeric-owner --format=ustar --mode=u+w,go-w "$@" \
		-C "$folder" -cf - . | gzip -9n >"$file"
}

# The tracked files as they are now, so that nothing built by hand gets in.
# export_sources FOLDER
export_sources() {
	rm -rf "$1"
	mkdir -p "$1"
	git -C "$root" ls-files -z |
		tar -C "$root" --null -T - -cf - | tar -C "$1" -xf -
}
