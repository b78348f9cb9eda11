# The packs' common ground: the facts of docs/reference/facts.md in the forms
# that rules ask for, and what a rule that holds says (found, found_command).
package belay.packs

import rego.v1

commands := object.get(input.belay, "commands", [])

effects := object.get(input.belay, "effects", [])

opaque := object.get(input.belay, "opaque", [])

# Effects by what they do: acts["git:force-push"].
acts[key] contains effect if {
	some effect in effects
	key := concat(":", [effect.kind, effect.action])
}

# Effects on paths of this machine, by kind: paths.delete.
paths[kind] contains effect if {
	some effect in effects
	effect.path
	effect.place != "remote"
	kind := effect.kind
}

# ---- what an effect is ---------------------------------------------------------

is_recursive(effect) if "recursive" in effect.details

is_move(effect) if "move" in effect.details

# Reaches more than the one file that is named.
is_wide(effect) if is_recursive(effect)

is_wide(effect) if is_move(effect)

is_wide(effect) if effect.state == "pattern"

is_wide(effect) if "all" in effect.details

is_wide(effect) if {
	effect.state == "unknown"
	contains(effect.target, "*")
}

# The content is read, not only a name or a date.
reads_content(effect) if {
	effect.kind == "read"
	not "names" in effect.details
}

# The content that an effect reads reaches the model.
is_shown(effect) if not "quiet" in effect.details

# $(< FILE)
is_shown(effect) if {
	effect.action == "capture"
	"shown" in effect.details
}

command_of(effect) := commands[effect.command]

program_of(effect) := object.get(command_of(effect), "program", "")

# A language whose programs are read only as far as their literals go.
interpreters := {
	"python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "sed", "R",
	"Rscript", "julia", "osascript", "tclsh", "expect", "psql", "mysql", "sqlite3",
}

is_remote(effect) if command_of(effect).where != "here"

# An address of the machine itself, with or without a scheme, a login and a port.
is_this_machine(address) if regex.match(`^([a-z+]+://)?([^@/?#\\]*@)?(localhost|127\.[0-9.]+|\[::1\]|0\.0\.0\.0)(:[^@/]*)?([/?#]|$)`, address)

# ---- what a hit says -----------------------------------------------------------

verbs := {
	"read": "reads",
	"write": "writes",
	"delete": "deletes",
	"chmod": "changes the mode or owner of",
	"execute": "runs",
	"network": "connects to",
	"publish": "publishes",
	"remote": "changes",
	"process": "signals",
	"privilege": "acts as",
	"config": "sets",
	"container": "works on",
	"database": "works on",
	"cloud": "works on",
	"package": "works on",
	"git": "works on",
	"system": "changes",
	"secret": "shows",
}

longest := 160

short(text) := text if count(text) <= longest

short(text) := concat("", [substring(text, 0, longest), "..."]) if count(text) > longest

# The command as it would run, for people.
line_of(command) := short(concat(" ", command.argv))

subject(effect) := concat("", ["`", line_of(command_of(effect)), "`"])

subject(effect) := "the line" if {
	not effect.command
	count(commands) > 0
}

subject(_) := "the tool" if count(commands) == 0

object_of(effect) := short(effect.target) if effect.target

object_of(effect) := "what it finds" if not effect.target

what(effect) := concat(" ", [subject(effect), verbs[effect.kind], object_of(effect)])

# A hit has the fact that it is about: exceptions name that.

# A rule that holds because of an effect.
found(rule, effect) := {
	"rule": rule,
	"what": what(effect),
	"span": object.get(effect, "span", []),
	"with": effect,
}

# A rule that holds because of a command.
found_command(rule, command) := {
	"rule": rule,
	"what": concat("", ["`", line_of(command), "`"]),
	"span": command.span,
	"with": command,
}

# A rule that holds because of something that is not known.
found_opaque(rule, one) := {
	"rule": rule,
	"what": concat("", ["`", short(object.get(one, "what", "?")), "` is not known before it runs"]),
	"span": one.span,
	"with": one,
}

# A fault of the text itself: words, then the detail that the fact gives.
found_text(rule, one, words) := {
	"rule": rule,
	"what": concat(" ", [words, object.get(one, "what", "?")]),
	"span": one.span,
	"with": one,
}
