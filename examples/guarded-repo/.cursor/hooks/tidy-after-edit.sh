#!/bin/sh
# afterFileEdit: removes blanks at line ends from the file that was edited.
# Put your formatter here (clang-format -i, gofmt -w, ...).  Needs jq.
set -eu

file=$(jq -r '.file_path')
case $file in
*.c | *.h | *.sh | *.md | *.txt)
	[ -f "$file" ] && [ ! -L "$file" ] && sed -i 's/[[:blank:]]*$//' "$file" ;;
esac
printf '{}\n'
