# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # the themes use them; guests.sh sets them
# Sourced by every theme: the behaviours of docs/contracts/cupcake.md
# "Behaviours", seen from outside.  The program is called cupcake, its directory
# is .cupcake; what Cupcake calls Halt, Deny and Block is one refusal in an
# answer.

stories=${0%/*}/../../attacks
folder=.cupcake
# shellcheck source=../../attacks/guests.sh
. "$stories/guests.sh"
mkdir -p "$world/bin"
ln -s "$belay" "$world/bin/cupcake"
program=$belay
belay=$world/bin/cupcake

# cupcake_policy HARNESS NAME TEXT [EVENT [TOOLS]]: as people wrote them.
cupcake_policy() {
	mkdir -p "$ws/.cupcake/policies/$1"
	cat >"$ws/.cupcake/policies/$1/$2.rego" <<END
# METADATA
# scope: package
# title: $2
# custom:
#   severity: HIGH
#   id: ID-$2
#   routing:
#     required_events: ["${4:-PreToolUse}"]
#     required_tools: [${5-}]
package cupcake.policies.$2

import rego.v1

$3
END
}
no_policies() { rm -rf "$ws/.cupcake/policies"; mkdir -p "$ws/.cupcake/policies/all"; }
# B COMMAND: Claude's event about it; C COMMAND: Cursor's.
B() { agent=claude; shell "$1"; evaluate; }
C() { agent=cursor; shell "$1"; evaluate; }
# E HARNESS EVENT-JSON
E() { agent=$1; event=$2; evaluate; }
shown() { printf '%s' "$1" | tr -c '[:print:]' '?' | cut -c 1-90; }
refuses() { "$@"; check "refused: $(shown "$*")" is_denied; }
allows() { "$@"; check "allowed: $(shown "$*")" is_open; }
# gives TEXT COMMAND...: the answer is that, byte for byte.
gives() { wanted=$1; shift; "$@"; check "$(shown "$*")" [ "$out" = "$wanted" ]; }
# tells TEXT COMMAND...: the answer has it somewhere.
tells() { wanted=$1; shift; "$@"; check "$(shown "$*")" says "$wanted"; }
