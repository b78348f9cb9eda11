# filesystem: what is deleted, moved, overwritten or opened to others.
package belay.packs

import rego.v1

# Deletions and renames of files of this machine, those that are there.
deletions contains effect if {
	some effect in object.get(paths, "delete", set())
	not "elsewhere" in effect.details
}

modes := object.get(paths, "chmod", set())

writes := object.get(paths, "write", set())

outside := {"home", "other"}

# METADATA
# title: The root of the file system
# description: Deleting, renaming or changing modes of / or everything below it.
# custom:
#   id: filesystem/root
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: name the one folder that is meant
hits contains found("filesystem/root", effect) if {
	some effect in (deletions | modes)
	"root" in effect.holds
	is_wide(effect)
}

# METADATA
# title: The home folder
# description: Deleting the home folder or all that is in it, or changing its modes.
# custom:
#   id: filesystem/home
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: name the one folder that is meant
hits contains found("filesystem/home", effect) if {
	some effect in (deletions | modes)
	"home" in effect.holds
	not "root" in effect.holds
	is_wide(effect)
}

# METADATA
# title: A folder of the system
# description: Deleting or renaming below /etc, /usr, /bin, /lib, /boot, /var, /opt and their like.
# custom:
#   id: filesystem/system-tree
#   severity: high
#   modes: [ask, deny, deny]
#   instead: let the package manager remove it
hits contains found("filesystem/system-tree", effect) if {
	some effect in deletions
	effect.place == "system"
	not "root" in effect.holds
	not "home" in effect.holds
	not "temp" in effect.holds
}

# METADATA
# title: Deletion of a folder outside the workspace
# description: A folder or a set of files in the home folder, or elsewhere outside the workspace and temporary folders, with all below it.
# custom:
#   id: filesystem/outside-tree
#   severity: high
#   modes: [ask, deny, deny]
#   instead: list it with ls, and let the person remove it
hits contains found("filesystem/outside-tree", effect) if {
	some effect in deletions
	effect.place in outside
	is_wide(effect)
	not is_move(effect)
	not "home" in effect.holds
}

# METADATA
# title: Deletion of a file outside the workspace
# custom:
#   id: filesystem/outside-file
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: move it aside with mv
hits contains found("filesystem/outside-file", effect) if {
	some effect in deletions
	effect.place in outside
	not is_wide(effect)
}

# METADATA
# title: Renaming something outside the workspace
# description: A file or folder of the home folder, or elsewhere outside the workspace, is moved away.
# custom:
#   id: filesystem/outside-move
#   severity: high
#   modes: [ask, deny, deny]
#   instead: copy it with cp -a
hits contains found("filesystem/outside-move", effect) if {
	some effect in deletions
	effect.place in outside
	is_move(effect)
	not "home" in effect.holds
}

# METADATA
# title: The whole workspace
# description: Deleting the workspace's own folder, or everything in it.
# custom:
#   id: filesystem/workspace-root
#   severity: high
#   modes: [ask, deny, deny]
#   instead: name the folders that are to go
hits contains found("filesystem/workspace-root", effect) if {
	some effect in deletions
	"workspace" in effect.holds
	not "home" in effect.holds
	not "root" in effect.holds
	is_wide(effect)
	not is_reordered(effect)
}

# Files that are renamed one by one, not the folder.
is_reordered(effect) if {
	is_move(effect)
	"all" in effect.details
}

is_reordered(effect) if {
	is_move(effect)
	effect.state == "pattern"
}

# METADATA
# title: A path that the rulebook protects
# description: Writing, deleting, renaming or changing the mode of a path that protect.paths names, or of one below it.
# custom:
#   id: filesystem/protected
#   severity: high
#   modes: [ask, deny, deny]
#   instead: propose the change, and let the person make it
hits contains found("filesystem/protected", effect) if {
	some effect in effects
	effect.guard == "protected"
	effect.kind in {"write", "delete", "chmod"}
}

# METADATA
# title: A repository's .git folder
# description: Deleting, renaming or overwriting .git, its objects or references.
# custom:
#   id: filesystem/git-dir
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: git gc, git worktree remove
hits contains found("filesystem/git-dir", effect) if {
	some effect in deletions
	"git" in effect.holds
	not endswith(effect.target, ".lock")
}

# METADATA
# title: Deletion of a path that is not known
# description: A recursive deletion or change of modes whose target depends on a value that is not known here, and may be empty.
# custom:
#   id: filesystem/unknown-target
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: write "${NAME:?}"/sub, or print the value first
hits contains found("filesystem/unknown-target", effect) if {
	some effect in (deletions | modes)
	effect.state == "unknown"
	is_recursive(effect)
	effect.place == "unknown"
}

hits contains found("filesystem/unknown-target", effect) if {
	some effect in modes
	effect.state == "unknown"
	effect.place == "unknown"
	program_of(effect) in {"chown", "chgrp"}
}

hits contains found("filesystem/unknown-target", effect) if {
	some effect in writes
	effect.state == "unknown"
	effect.place == "unknown"
	program_of(effect) == "truncate"
}

# METADATA
# title: Deletion of a list that is not known
# description: What is deleted comes from a file, a pipe or another machine.
# custom:
#   id: filesystem/delete-list
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: print the list, then name the files
hits contains found("filesystem/delete-list", effect) if {
	some effect in deletions
	effect.state == "unknown"
	some list in {"file", "network", "input"}
	list in effect.origins
	some wrapper in command_of(effect).wrappers
	wrapper in {"xargs", "parallel"}
}

# A list in braces that is too long to look at.
hits contains found("filesystem/delete-list", effect) if {
	some effect in deletions
	effect.state == "unknown"
	regex.match(`(^|[^$]){\.\.\.}`, effect.target)
}

# cmd /c del: what another shell deletes.
hits contains found_command("filesystem/unknown-target", command) if {
	some command in commands
	regex.match(`(?i)^cmd(\.exe)?$`, command.program)
	regex.match(`(?i)/[ck] +"?(rd|rmdir|del|erase|format|deltree|cipher +/w)( |$)`, concat(" ", command.argv))
}

hits contains found_opaque("filesystem/delete-list", one) if {
	some one in opaque
	one.reason == "arguments"
	commands[one.command].program in {"rm", "unlink", "rmdir", "shred", "srm", "trash"}
}

# METADATA
# title: The folder for temporary files
# description: Deleting /tmp itself, with what other programs and people keep there.
# custom:
#   id: filesystem/temp-root
#   severity: high
#   modes: [ask, deny, deny]
#   instead: delete only the folder that you made in it
hits contains found("filesystem/temp-root", effect) if {
	some effect in deletions
	"temp" in effect.holds
	not "root" in effect.holds
	is_wide(effect)
}

# METADATA
# title: A link of the workspace leads out of it
# description: What is deleted, written or opened to others is named in the workspace, and lies outside because a link leads there.
# custom:
#   id: filesystem/link-escape
#   severity: high
#   modes: [ask, deny, deny]
#   instead: to remove the link alone, rm LINK without a slash behind it
hits contains found("filesystem/link-escape", effect) if {
	some effect in ((deletions | writes) | modes)
	"linked" in effect.details
	effect.place in {"home", "other", "system"}
}

# METADATA
# title: A file outside the workspace is emptied
# custom:
#   id: filesystem/truncate
#   severity: high
#   modes: [ask, deny, deny]
#   instead: copy it first
hits contains found("filesystem/truncate", effect) if {
	some effect in writes
	effect.place in outside
	"empty" in effect.details
}

# : > FILE, cat /dev/null > FILE: nothing is put in its place.
hits contains found("filesystem/truncate", effect) if {
	some effect in writes
	effect.place in outside
	effect.action == "redirect"
	some command in live_commands
	command.argv in [[":"], ["true"], ["cat", "/dev/null"]]
	some redirection in command.redirections
	redirection.operator == ">"
	redirection.target == effect.target
}

# METADATA
# title: A copy that deletes at its destination
# description: rsync --delete, rclone sync and their like, to a folder outside the workspace.
# custom:
#   id: filesystem/mirror-delete
#   severity: high
#   modes: [ask, deny, deny]
#   instead: try it with -n first
hits contains found_command("filesystem/mirror-delete", command) if {
	some effect in deletions
	command := command_of(effect)
	command.program in {"rsync", "rclone", "robocopy"}
	effect.place in outside
}

# rclone sync makes a folder of this machine like its source.
hits contains found_command("filesystem/mirror-delete", command) if {
	some command in live_commands
	command.program == "rclone"
	command.operands[0] == "sync"
	regex.match(`^(~|/(home|Users|root|etc|var|opt|usr|srv|mnt|media)(/|$)|\.\.)`, command.operands[2])
}

# METADATA
# title: Overwriting so that nothing can be restored
# custom:
#   id: filesystem/shred
#   severity: high
#   modes: [ask, deny, deny]
#   instead: rm
hits contains found("filesystem/shred", effect) if {
	some effect in (deletions | writes)
	program_of(effect) in {"shred", "wipe", "srm"}
	effect.place != "temp"
}

# METADATA
# title: Writing in the home folder outside the workspace
# custom:
#   id: filesystem/outside-write
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: write in the workspace
hits contains found("filesystem/outside-write", effect) if {
	some effect in writes
	effect.place in outside
}

# METADATA
# title: Writing in a folder of the system
# custom:
#   id: filesystem/system-write
#   severity: medium
#   modes: [ask, ask, deny]
#   instead: show the change to the person
hits contains found("filesystem/system-write", effect) if {
	some effect in (writes | modes)
	effect.place == "system"
	not "temp" in effect.holds
}

# METADATA
# title: Modes of a whole tree
# description: Recursive chmod or chown outside the workspace, or one that lets everybody write.
# custom:
#   id: filesystem/mode-tree
#   severity: high
#   modes: [ask, deny, deny]
#   instead: name the files, and the mode they need
hits contains found("filesystem/mode-tree", effect) if {
	some effect in modes
	is_recursive(effect)
	effect.place in {"home", "other", "system"}
}

hits contains found("filesystem/mode-tree", effect) if {
	some effect in modes
	is_recursive(effect)
	effect.place != "temp"
	some word in command_of(effect).operands
	regex.match(`^([ugoa,+=rwx-]*[oa][+=][rx]*w|0?77[67]$|0?666$|a[+=]rwx)`, word)
}

# METADATA
# title: A secret is opened to others
# custom:
#   id: filesystem/key-mode
#   severity: high
#   modes: [ask, deny, deny]
#   instead: chmod 600
hits contains found("filesystem/key-mode", effect) if {
	some effect in modes
	effect.secret in {"high", "medium"}
	some word in command_of(effect).operands
	regex.match(`^[0-7]*[0-7][1-7]$|^[0-7]*[1-7][0-7]$|^[ugoa]*[goa][ugoa]*[+=].*[rwx]|^\+.*[rwx]`, word)
	not word in {"600", "0600", "400", "0400", "700", "0700", "500", "0500"}
}

# METADATA
# title: An archive unpacked over the home folder or the system
# custom:
#   id: filesystem/unpack-over
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: unpack it in a new folder
hits contains found("filesystem/unpack-over", effect) if {
	some effect in writes
	is_recursive(effect)
	some name in {"home", "root"}
	name in effect.holds
}

# METADATA
# title: A folder of another volume or a shared folder is deleted
# custom:
#   id: filesystem/mount-tree
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("filesystem/mount-tree", effect) if {
	some effect in deletions
	is_wide(effect)
	not is_move(effect)
	regex.match(`^/(mnt|media|run/media|Volumes|net|srv)/[^/]+|/(Dropbox|OneDrive[^/]*|Google ?Drive|iCloud[^/]*|Nextcloud|ownCloud|Syncthing)(/|$)`, effect.target)
	effect.place != "workspace"
}

# METADATA
# title: A folder of the workspace is deleted that no build can make again
# custom:
#   id: filesystem/workspace-loss
#   severity: low
#   modes: [monitor, monitor, ask]
#   instead: git stash -u first
hits contains found("filesystem/workspace-loss", effect) if {
	some effect in deletions
	effect.place == "workspace"
	is_recursive(effect)
	not is_move(effect)
	not "workspace" in effect.holds
	not regex.match(outputs, effect.target)
}

# Folders that builds, tests and package managers make.
outputs := `/(node_modules|dist|build|out|output|target|bin|obj|logs?|\.next|\.nuxt|\.svelte-kit|\.turbo|\.cache|\.parcel-cache|\.vite|coverage|\.nyc_output|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.venv|venv|\.tox|\.gradle|\.eggs|[^/]+\.egg-info|_build|deps|vendor|Pods|DerivedData|\.terraform|playwright-report|test-results|storybook-static|site|public/build|CMakeFiles)(/|$)`
