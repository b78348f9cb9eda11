#!/bin/sh
# beforeShellExecution: refuses the git commands that lose work.
#
# Needs jq.  It looks for the usual spellings in the command line; a command
# that hides git behind a variable or a script gets past it.
set -eu

command=$(jq -r '.command')

answer() { # permission, user message, agent message
	jq -nc --arg p "$1" --arg u "$2" --arg a "$3" \
		'{permission: $p, user_message: $u, agent_message: $a}'
	exit 0
}

case " $command " in
*git*push*\ --force-with-lease*)
	answer ask "A push that rewrites the remote branch: $command" \
		"The user has to approve a push that rewrites history." ;;
*git*push*\ --force* | *git*push*\ -f\ * | *git*push*\ +*)
	answer deny "git-guard: force push refused" \
		"Push without --force, on a branch of your own." ;;
*git*reset*\ --hard* | *git*clean*\ -*f* | *git*checkout*\ --\ *)
	answer deny "git-guard: this would throw away uncommitted work" \
		"Commit or stash first, and leave the working tree alone." ;;
esac
printf '{"permission":"allow"}\n'
