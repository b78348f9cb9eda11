# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # the stories use them; world.sh sets them
# Sourced by the stories about policies: what four agents hand to belay eval,
# and what their answers mean.  The workspace is $ws, its policies are in
# $ws/.belay.  tests/conformance/cupcake uses it too, with a $folder of its own.

# shellcheck source=world.sh
. "${stories:-${0%/*}}/world.sh"

here=$(cd "${belay%/*}" && pwd)
belay=$here/${belay##*/}
everyone='claude cursor factory opencode'
agents=$everyone
folder=${folder:-.belay}
mkdir -p "$ws/$folder/policies/all"

rulebook() { printf '%s\n' "$1" >"$ws/$folder/rulebook.yml"; }
# policy NAME TEXT [ROUTING]: one for all agents.
policy() {
	cat >"$ws/$folder/policies/all/$1.rego" <<END
# METADATA
# scope: package
# custom:
#   severity: HIGH
#   id: ${1}
#   routing:
#     required_events: ["${3-tool.before}"]
package cupcake.policies.$1

import rego.v1

$2
END
}

# The text as a JSON string.
quoted() {
	printf '"'
	printf '%s' "$1" | sed -z -e 's/\\/\\\\/g' -e 's/"/\\"/g' \
		-e 's/\n/\\n/g' -e 's/\t/\\t/g' -e 's/\r/\\r/g' \
		-e 's/\v/\\u000b/g' -e 's/\f/\\f/g'
	printf '"'
}

# ---- the event of $agent, as $event -----------------------------------------

# shell COMMAND: it is about to run that.
shell() {
	text_of_it=$(quoted "$1")
	case $agent in
	claude) event='{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":'$text_of_it'},' ;;
	factory) event='{"hookEventName":"PreToolUse","tool_name":"Execute","tool_input":{"command":'$text_of_it'},' ;;
	cursor) event='{"hook_event_name":"beforeShellExecution","command":'$text_of_it',' ;;
	opencode) event='{"hook_event_name":"PreToolUse","tool":"bash","args":{"command":'$text_of_it'},' ;;
	esac
	event=$event'"cwd":"'${cwd:-$ws}'"}'
}
# tool NAME INPUT: it is about to use a tool; INPUT is JSON.
tool() {
	case $agent in
	claude) event='{"hook_event_name":"PreToolUse","tool_name":"'$1'","tool_input":'$2',' ;;
	factory) event='{"hookEventName":"PreToolUse","tool_name":"'$1'","tool_input":'$2',' ;;
	cursor) event='{"hook_event_name":"preToolUse","tool_name":"'$1'","tool_input":'$2',' ;;
	opencode) event='{"hook_event_name":"PreToolUse","tool":"'$1'","args":'$2',' ;;
	esac
	event=$event'"cwd":"'${cwd:-$ws}'"}'
}
# prompt, stop: events that a failure leaves open.
prompt() {
	case $agent in
	claude) event='{"hook_event_name":"UserPromptSubmit","prompt":"p",' ;;
	factory) event='{"hookEventName":"UserPromptSubmit","prompt":"p",' ;;
	cursor) event='{"hook_event_name":"beforeSubmitPrompt","prompt":"p",' ;;
	opencode) event='{"hook_event_name":"Stop",' ;;
	esac
	event=$event'"cwd":"'$ws'"}'
}
stop() {
	case $agent in
	cursor) event='{"hook_event_name":"stop","status":"completed","loop_count":0}' ;;
	factory) event='{"hookEventName":"Stop","stop_hook_active":false}' ;;
	*) event='{"hook_event_name":"Stop","stop_hook_active":false}' ;;
	esac
}

# ---- the answer ---------------------------------------------------------------

# evaluate [option...]: hands $event, or the file $payload, to belay eval.
evaluate() {
	(
		cd "$ws" || exit 1
		if [ -n "$payload" ]; then
			cat "$payload"
		else
			printf '%s' "$event"
		fi | HOME=$home timeout 60 "$belay" eval --harness "$agent" --home "$home" \
			--no-log "$@"
	) >"$world/out" 2>"$world/err"
	rc=$?
	out=$(tr -d '\0' <"$world/out") err=$(tr -d '\0' <"$world/err")
}

# In the one shape that $agent takes for a refusal, with $because in it.
is_denied() {
	case $agent in
	factory) [ "$rc" = 2 ] && [ -n "$err" ] || return 1 ;;
	*) [ "$rc" = 0 ] || return 1 ;;
	esac
	case $agent:$out in
	claude:'{"hookSpecificOutput":{'*'"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"'*"$because"*'"}}') ;;
	factory:'{"hookSpecificOutput":{'*'"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"'*"$because"*'"}}') ;;
	cursor:'{"agent_message":"'*'","permission":"deny","user_message":"'*"$because"*'"}') ;;
	opencode:*'"decision":"'[bd][le][on][cy]*'"reason":"'*"$because"*'"}') ;;
	*) false ;;
	esac
}
# Nothing is in the way of the action (or prompt, or end).
is_open() {
	[ "$rc" = 0 ] || return 1
	case $agent:$out in
	claude:'{}' | factory:'{}' | cursor:'{}' | cursor:'{"permission":"allow"}' | cursor:'{"continue":true}' | opencode:'{"decision":"allow"}') ;;
	*) false ;;
	esac
}
# There is no event that could be answered: refused without words of its own.
is_emergency() {
	case $agent in
	opencode) case $rc:$out in 0:*'"decision":"block"'*) ;; *) false ;; esac ;;
	*) [ "$rc" = 2 ] && [ -z "$out" ] && [ -n "$err" ] ;;
	esac
}

# each is_denied|is_open EVENT ARG...: for each of $agents.
each() {
	wanted=$1
	shift
	for agent in $agents; do
		"$@"
		# shellcheck disable=SC2086 # options are words
		evaluate $options
		"$wanted" || {
			err="$agent: $event
$err"
			return 1
		}
	done
}
# denied EVENT ARG..., open EVENT ARG...: a point, named after its last argument,
# about one of the agents, each in turn; denied_all, open_all: about all four.
turn=0
denied() { in_turn "denied" is_denied "$@"; }
open() { in_turn "open" is_open "$@"; }
denied_all() { named "denied" is_denied "$@"; }
open_all() { named "open" is_open "$@"; }
in_turn() {
	turn=$((turn % 4 + 1))
	agents=$(echo "$everyone" | cut -d ' ' -f $turn)
	named "$@"
	agents=$everyone
}
named() {
	text=$1
	shift
	for last; do :; done
	check "$text: $2 $(printf '%s' "$last" | tr -c '[:print:]' '?' | cut -c 1-90)" each "$@"
}
