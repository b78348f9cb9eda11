# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2034 # the stories use them
# Sourced by every story: a world of its own and what to check, printing TAP.
#
# $home, $root, $ws and $state are folders.  user, managed and project put a
# hook file with the given entries for beforeShellExecution.  dispatch hands in
# an event; its status, output and errors are $rc, $out and $err.

belay=$1
umask 022
unset XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
world=$(mktemp -d /tmp/belay-attack-XXXXXX) || exit 1
# The folders that the world is in: whoever the story runs as gets there.
chmod 755 "$world"
home=$world/home root=$world/root ws=$world/ws state=$world/state
mkdir -p "$home/.cursor" "$root/etc/cursor" "$ws/.cursor"
trap 'chmod -R u+rwx "$world"; rm -rf "$world"' EXIT
count=0 failed=0
newline='
'

event='{"hook_event_name":"beforeShellExecution","command":"rm -rf x"}'
deny="echo '{\\\"permission\\\":\\\"deny\\\"}'"
allow="echo '{\\\"permission\\\":\\\"allow\\\"}'"

file_of() {
	printf '{"version":1,"hooks":{"beforeShellExecution":[%s]}}' "$1"
}
user() { file_of "$1" >"$home/.cursor/hooks.json"; }
managed() { file_of "$1" >"$root/etc/cursor/hooks.json"; }
project() { file_of "$1" >"$ws/.cursor/hooks.json"; }
# An entry with this command, and further members.
hook() { printf '{"command":"%s"%s}' "$1" "${2:+,$2}"; }

# dispatch [option...]: $event, or the file $payload when that is set.
dispatch() {
	if [ -n "$payload" ]; then
		cat "$payload"
	else
		printf '%s' "$event"
	fi | timeout 20 "$belay" dispatch --home "$home" --root "$root" \
		--workspace "$ws" --state-dir "$state" "$@" \
		>"$world/out" 2>"$world/err"
	rc=$?
	out=$(tr -d '\0' <"$world/out") err=$(tr -d '\0' <"$world/err")
}
trust() { "$belay" trust "$@" --home "$home" >"$world/trust" 2>&1; }

# check TEXT COMMAND...: the command succeeds.  A point of TAP is one line.
check() {
	text=$1
	case $text in
	*"$newline"*) text=$(printf '%s' "$text" | tr '\n' ' ') ;;
	esac
	shift
	count=$((count + 1))
	if "$@"; then
		printf 'ok %s - %s\n' "$count" "$text"
	else
		failed=1
		printf 'not ok %s - %s\n' "$count" "$text"
		printf 'status %s\n%.600s\n%.600s\n' "$rc" "$out" "$err" |
			sed 's/^/# /'
	fi
}
# The verdict was deny.
denied() { [ "$rc" = 2 ]; }
# Nothing that a caller could take for leave to go on.
refused() { [ "$rc" = 2 ] || { [ "$rc" -ge 64 ] && [ "$rc" -lt 124 ]; }; }
# Refused, or asked: a person hears of it before anything is done.
held() { [ "$rc" = 3 ] || refused; }
goes_on() { [ "$rc" = 0 ]; }
says() { case $out$err in *"$1"*) ;; *) false ;; esac; }
not() { ! "$@"; }

end() {
	echo "1..$count"
	exit $failed
}
