# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the stories about rule packs: a workspace at level standard, and
# events of Claude Code's tools.
# shellcheck source=world.sh
. "${0%/*}/world.sh"

mkdir -p "$ws/.belay"
echo 'level: standard' >"$ws/.belay/rulebook.yml"

# judge FILE: the payload of a tool of Claude Code, as the agent sends it.
judge() {
	timeout 20 "$belay" eval --harness claude --home "$home" \
		--policy-dir "$ws/.belay" <"$1" >"$world/out" 2>"$world/err"
	rc=$?
	out=$(cat "$world/out") err=$(cat "$world/err")
}
payload() {
	printf '{"hook_event_name":"PreToolUse","session_id":"s",'
	printf '"transcript_path":"/t","cwd":"%s",' "$ws"
	printf '"tool_name":"%s","tool_input":' "$1"
}
decides() { says "\"permissionDecision\":\"$1\""; }
