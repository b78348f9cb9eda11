#!/bin/sh
# stop: when the project's own check fails, asks the agent for one more round
# with what the check said.  belay ends the loop at loop_limit.  Needs jq.
set -eu

status=$(jq -r '.status')
if [ "$status" = completed ] && [ -x ./check ] && ! said=$(./check 2>&1); then
	jq -nc --arg said "$said" \
		'{followup_message: ("./check fails, please mend it:\n" + $said)}'
else
	printf '{}\n'
fi
