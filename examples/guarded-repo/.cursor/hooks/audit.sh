#!/bin/sh
# Any event: one line in .cursor/audit.log.  Needs jq.
set -eu

jq -c '{event: .hook_event_name, conversation: .conversation_id,
	what: (.command // .file_path // .prompt // .tool_name)}' \
	>>"$CURSOR_PROJECT_DIR/.cursor/audit.log"
printf '{}\n'
