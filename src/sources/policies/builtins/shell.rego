# Command lines, by the facts of what they would do (docs/reference/facts.md).
package belay.system.shell

import data.belay.system.paths
import rego.v1

command := text if {
	input.belay.tool.kind == "shell"
	text := regex.replace(input.belay.tool.shell.command, `\x00`, "")
}

# Some agents hand over words.
command := text if {
	input.belay.tool.kind == "shell"
	some_words := input.belay.tool.shell.command
	is_array(some_words)
	text := concat(" ", [word | some word in some_words; is_string(word)])
}

# ---- the facts, of a shell's tool -----------------------------------------------

default commands := []

commands := input.belay.commands if input.belay.tool.kind == "shell"

default opaque := []

opaque := input.belay.opaque if input.belay.tool.kind == "shell"

# Effects on paths of this machine.
effects contains effect if {
	input.belay.tool.kind == "shell"
	some effect in input.belay.effects
	effect.path
	effect.place != "remote"
}

# The line as it is, and each command that would run, with its words as they are then.
texts contains command

texts contains line_of(one) if some one in commands

line_of(one) := concat(" ", one.argv)

# ---- texts ------------------------------------------------------------------------

# Without quotes and backslashes.
plain(text) := regex.replace(text, `['"\\]`, "")

words(text) := [word |
	some word in regex.split(`[\s;&|<>()=,:@\x60{}]+`, plain(text))
	word != ""
]

names(text, pattern) if {
	some word in words(text)
	paths.matches(word, pattern)
}

names(text, pattern) if {
	some word in regex.split(`[\s;&|<>()=]+`, plain(text))
	paths.may_match(word, pattern)
}

# ---- effects ----------------------------------------------------------------------

# Is the target the place that a pattern names, or below it?
is_at(effect, pattern) if paths.matches(effect.target, pattern)

is_at(effect, pattern) if {
	effect.state == "pattern"
	paths.may_match(effect.target, pattern)
}

# A target that is known in part counts when it can be that place.
is_at(effect, pattern) if paths.matches(effect.at_worst, pattern)

is_at(effect, pattern) if {
	effect.state == "unknown"
	parts := split(effect.prefix, "/")
	paths.may_match(concat("", [parts[count(parts) - 1], "*"]), pattern)
}

changing := {"write", "delete", "chmod"}

taking := {"delete", "chmod"}

# Work that git takes away: changes that are discarded, files that it does not know.
git_taking := {"discard", "clean"}

changes(effect) if {
	effect.kind in changing
	effect.place != "sink"
}

changes(effect) if {
	effect.kind == "git"
	effect.action in git_taking
}

# Does it take away, move or close the folder that holds the place?
is_above(effect, pattern) if {
	takes_all(effect)
	not paths.is_glob(pattern)
	holds(effect, concat("", [paths.absolute(pattern), "/"]))
}

holds(effect, place) if startswith(place, concat("", [paths.tidy(effect.target), "/"]))

# A pattern of the shell leaves out names that begin with a dot, find's does not.
holds(effect, place) if {
	endswith(effect.target, "/*")
	top := trim_suffix(paths.tidy(effect.target), "*")
	startswith(place, top)
	takes_dots(effect, trim_prefix(place, top))
}

takes_dots(_, rest) if not startswith(rest, ".")

takes_dots(effect, _) if commands[effect.command].row == "find"

takes_all(effect) if {
	effect.kind in taking
	some detail in {"recursive", "move"}
	detail in effect.details
}

takes_all(effect) if {
	effect.kind == "git"
	effect.action in git_taking
}

# ---- commands -----------------------------------------------------------------------

# Builtins of the shell whose words are texts, not files.
wordy := {
	"", ":", "alias", "break", "compgen", "complete", "continue", "declare", "echo", "exit", "export", "false", "getopts",
	"hash", "jobs", "let", "local", "printf", "read", "readonly", "return", "set", "shift", "shopt", "times", "trap", "true",
	"type", "typeset", "umask", "unalias", "unset", "wait",
}

# Builtins that look at a file and leave it as it is.
looking := {".", "[", "[[", "cd", "dirs", "popd", "pushd", "source", "test"}

languages := `^(python|ruby|perl|node|nodejs|php|deno|bun|lua|Rscript|tclsh)[0-9.]*$`

program_of(one) := object.get(one, "program", "")

# Commands of which nobody has said what they do with their words.
is_unlisted(one) if {
	not one.row
	one.where != "remote-host"
	not program_of(one) in wordy
}

# Code of a language is known in part; its words may be files for it.
is_code(one) if regex.match(languages, program_of(one))

runs_inline(one) if {
	is_code(one)
	some word in one.argv
	regex.match(`^-[a-zA-Z]*[ceEr]$|^--eval$|^--print$`, word)
}

behind_program(one) := concat(" ", array.concat(
	array.slice(one.argv, 1, count(one.argv)),
	[object.get(one, "input", "")],
))

# A command that may do anything with the place, because a word of it is that place.
suspects(pattern) := {one |
	some one in commands
	may_do_more(one)
	names(behind_program(one), pattern)
}

may_do_more(one) if is_unlisted(one)

may_do_more(one) if is_code(one)

# Mounts have no target that is a path.
may_do_more(one) if one.row in {"mount", "umount"}

# ---- links ------------------------------------------------------------------------------

makes_link(one) if {
	some effect in effects
	effect.command == one.index
	"link" in effect.details
}

makes_link(one) if one.options.link

makes_link(one) if one.row == "mount"

# Another name for the place: a command that makes links has read it.
links(pattern) := {one |
	some effect in effects
	is_at(effect, pattern)
	one := commands[effect.command]
	makes_link(one)
}

# ---- more than can be known ---------------------------------------------------------------

# The line names the place, and its commands are not known.
is_veiled(pattern) if {
	some one in opaque
	one.reason == "syntax"
	names(command, pattern)
}

# The line does more than belay follows: what comes then may be anything.
is_endless if {
	some one in opaque
	one.reason == "limit"
}
