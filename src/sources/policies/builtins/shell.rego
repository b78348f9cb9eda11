# Command lines, as far as text tells: belay does not run them to find out.
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

# ---- what a shell makes of the text before it splits it ---------------------------

# $'\x61\142c': escapes that stand for letters.
letter(escape) := json.unmarshal(sprintf(`"\u%s%s"`, [substring("0000", 0, 4 - count(digits)), digits])) if {
	regex.match(`^\\[xu]`, escape)
	digits := substring(escape, 2, -1)
}

letter(escape) := sprintf("%c", [code]) if {
	regex.match(`^\\[0-7]`, escape)
	digits := split(substring(escape, 1, -1), "")
	values := [value |
		some i, digit in digits
		value := to_number(digit) * [1, 8, 64][(count(digits) - 1) - i]
	]
	code := sum(values)
	code > 0
}

letter(escape) := " " if regex.match(`^\\[fnrtv]`, escape)

decoded(quote) := strings.replace_n(letters, substring(quote, 1, -1)) if {
	letters := {escape: text |
		some escape in regex.find_n(`\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|[fnrtv])`, quote, -1)
		text := letter(escape)
	}
}

# Continued lines, $'...', $IFS, expansions to nothing, defaults and the folder.
without_tricks(raw) := strings.replace_n({"$PWD": cwd, "${PWD}": cwd, "$HOME": "~", "${HOME}": "~"}, plainer) if {
	joined := regex.replace(raw, `\\\r?\n`, "")
	quotes := {quote: decoded(quote) | some quote in regex.find_n(`\$'([^'\\]|\\.)*'`, joined, -1)}
	unquoted := strings.replace_n(quotes, joined)
	spaced := regex.replace(unquoted, `\$(\{IFS[^}]*\}|IFS\b)`, " ")
	empty := regex.replace(spaced, `\$\(\s*\)|\x60\x60|\$[@*0-9]|\$\{[@*0-9][^}]*\}|\$"`, "")
	cwd := object.get(input.belay.tool.shell, "cwd", ".")
	plainer := regex.replace(empty, `\$\{[A-Za-z_][A-Za-z_0-9]*:?[-=+]([^}]*)\}`, "$1")
}

assignments(text) := regex.find_all_string_submatch_n(
	`(?:^|[\s;&|({])([A-Za-z_][A-Za-z_0-9]*)=("[^"]*"|'[^']*'|[^\s;&|()]*)`,
	text,
	-1,
)

# name=value, by name; which: of several values of one name.
assigned(text, which) := {form: value |
	matches := assignments(text)
	some match in matches
	values := [other[2] | some other in matches; other[1] == match[1]]
	value := plain(values[min([which, count(values) - 1])])
	some form in {concat("", ["$", match[1]]), concat("", ["${", match[1], "}"])}
}

# The command as it is, and as a shell would read it, with the values of its own
# variables (of many values of one name the first: the rest is anything, below).
texts contains command

texts contains text if {
	raw := without_tricks(command)
	some which in numbers.range(0, min([7, count(assignments(raw))]))
	once := strings.replace_n(assigned(raw, which), raw)
	text := strings.replace_n(assigned(once, which), once)
}

# Without quotes and backslashes, which hide names ('pro'duction.env).
plain(text) := regex.replace(text, `['"\\]`, "")

words(text) := [word |
	some word in regex.split(`[\s;&|<>()=,:@\x60{}]+`, plain(text))
	word != ""
]

# Pipelines: what stands between ";", "&&", "||", "&" and line ends.
pipelines(text) := [pipeline |
	some raw in regex.split(`;|&&|\|\||\n|(?:^|[^>&<])&(?:[^&>0-9]|$)`, text)
	pipeline := trim_space(raw)
	pipeline != ""
]

names(text, pattern) if {
	some word in words(text)
	paths.matches(word, pattern)
}

# The path that a word leads to, through links and after "cd" (input's preprocessing).
names(text, pattern) if {
	some word in words(text)
	some one in input.named_paths
	one.word == word
	paths.matches(one.real, pattern)
}

# A shell pattern that stands for it: .cup*/rulebook.yml, production.{env,x}.
names(text, pattern) if {
	not paths.is_glob(pattern)
	some wanted in [part | some part in split(paths.tidy(pattern), "/"); part != ""]
	some word in regex.split(`[\s;&|<>()=]+`, wild(plain(lower(text))))
	some part in split(word, "/")
	regex.match(`[*?\[]`, part)
	regex.match(`[a-z0-9.]`, part)
	startswith(wanted, ".") == startswith(part, ".")
	glob.match(part, null, wanted)
}

# A part that only a shell can expand may be anything: {a,b}, $(...), $name.
wild(text) := regex.replace(text, `\$\([^()]*\)|\x60[^\x60]*\x60|\$?\{[^}\s]*\}|\$[a-z_][a-z_0-9]*`, "*")

# ---- commands that only read -------------------------------------------------

readers := {
	"awk", "cat", "cmp", "column", "cut", "diff", "du", "egrep", "fgrep", "file",
	"find", "fold", "grep", "head", "hexdump", "jq", "less", "ls", "md5sum", "more",
	"nl", "od", "paste", "rev", "rg", "sed", "sha256sum", "sort", "stat", "strings",
	"tac", "tail", "test", "tr", "tree", "uniq", "wc", "zgrep",
}

git_readers := {"blame", "diff", "grep", "log", "ls-files", "show", "status"}

# Output to nowhere and to another stream writes nothing.
quiet(text) := regex.replace(text, `[0-9&]*>+\s*(/dev/null|&[0-9])`, " ")

# Does every command of a pipeline only read?
reads(pipeline) if {
	text := quiet(pipeline)
	not regex.match("[>`]|\\$\\(|<\\(", text)
	every part in [trim_space(raw) | some raw in regex.split(`\|`, text)] {
		reads_one(part)
	}
}

reads_one(part) if {
	verb := verb_of(part)
	verb in readers
	not writes(verb, part)
}

reads_one(part) if regex.match(`^[A-Za-z_][A-Za-z_0-9]*=\S*$`, part)

reads_one(part) if {
	verb_of(part) == "git"
	parts := regex.split(`\s+`, part)
	parts[1] in git_readers
	not contains(part, "--output")
}

verb_of(part) := verb if {
	first := regex.split(`\s+`, plain(part))[0]
	pieces := split(first, "/")
	verb := pieces[count(pieces) - 1]
}

writes("find", part) if regex.match(`\s-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)\b`, part)

writes("sed", part) if regex.match(`\s(-[a-zA-Z]*i|--in-place)|[0-9/$}'"\s]w\s`, part)

writes("sort", part) if regex.match(`\s(-[a-zA-Z]*o|--output)`, part)

writes("awk", part) if regex.match(`system\s*\(|print[^|]*>|\|\s*getline|-i\s*inplace`, part)

writes("tree", part) if regex.match(`\s-o`, part)

writes("less", part) if regex.match(`\s(-[a-zA-Z]*[oO]|--log-file)`, part)

writes("rg", part) if regex.match(`\s--pre\b`, part)

writes("uniq", part) if {
	operands := [word | some word in regex.split(`\s+`, part); not startswith(word, "-")]
	count(operands) > 2
}

# ---- commands that remove or move what is below ----------------------------------

destroys(text) if regex.match(
	`(^|[\s;&|(/])(rm|rmdir|mv|shred|unlink|trash|chmod|chown|chgrp|dd|truncate|mount)(\s|$)`,
	plain(text),
)

destroys(text) if regex.match(`(^|[\s;&|(/])rsync\s.*(--del|--remove-source)`, plain(text))

destroys(text) if regex.match(`(^|[\s;&|(/])find\s.*-delete\b`, text)

destroys(text) if regex.match(`\bgit\s+clean\b`, text)

# Folders that a destroying command works on, from input's preprocessing.  A
# partial pattern (*.bak) stands for single files: its folder is not meant.
destroyed contains folder if {
	destroys(command)
	not regex.match(`[^\s/]\*|\*[^\s]`, command)
	some folder in input.affected_parent_directories
	not folder in targets
}

destroyed contains one.real if {
	destroys(command)
	some one in input.named_paths
	not one.real in targets
}

# "mv a b ." moves nothing but a and b: the folder that it ends with is left.
targets contains one.real if {
	not destroys(regex.replace(plain(command), `(^|[\s;&|(/])mv\s`, " "))
	some pipeline in pipelines(command)
	verb_of(pipeline) == "mv"
	parts := words(pipeline)
	last := parts[count(parts) - 1]
	count([word | some word in words(command); word == last]) == 1
	some one in input.named_paths
	one.word == last
}

above(folder, pattern) if {
	not paths.is_glob(pattern)
	top := concat("", [paths.tidy(folder), "/"])
	startswith(concat("", [paths.absolute(pattern), "/"]), top)
}

makes_link(text) if regex.match(`(^|[\s;&|(/])ln\s`, text)

runs_code(text) if regex.match(`(^|[\s;&|(/])(python[0-9.]*|ruby|perl|node|php|deno|bun)\s+([^\s]+\s+)*-[ce]`, text)
