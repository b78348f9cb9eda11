# Paths: what a rulebook names, and what an action touches.
package belay.system.paths

import rego.v1

is_glob(pattern) if regex.match(`[*?\[]`, pattern)

# A path without "./" in front, "//", a slash at the end, characters that
# some file systems do not see, what C does not see, and other names of the root.
tidy(path) := result if {
	ended := regex.replace(lower(path), `(?s)\x00.*`, "")
	seen := regex.replace(ended, `[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]`, "")
	rooted := regex.replace(seen, `^(file://)?/+(proc/+(self|thread-self|[0-9]+)/+(task/+[0-9]+/+)?root/+)*`, "/")
	once := regex.replace(rooted, `(/\.)*/+`, "/")
	short := trim_prefix(once, "./")
	trimmed := trim_right(short, "/")
	result := trimmed
}

# Is path the place that pattern names, or below it?  Patterns: an absolute
# path, the last parts of one ("src/legacy", ".env"), or either with "*".
matches(path, pattern) if {
	not is_glob(pattern)
	wanted := tidy(pattern)
	wanted != ""
	startswith(wanted, "/")
	startswith(concat("", [tidy(path), "/"]), concat("", [wanted, "/"]))
}

matches(path, pattern) if {
	not is_glob(pattern)
	wanted := tidy(pattern)
	wanted != ""
	not startswith(wanted, "/")
	contains(concat("", ["/", tidy(path), "/"]), concat("", ["/", wanted, "/"]))
}

matches(path, pattern) if {
	is_glob(pattern)
	some form in glob_forms(tidy(pattern))
	glob.match(form, ["/"], concat("", ["/", trim_left(tidy(path), "/")]))
}

glob_forms(pattern) := {pattern, concat("", [pattern, "/**"])} if startswith(pattern, "/")

glob_forms(pattern) := {
	concat("", ["**/", pattern]),
	concat("", ["**/", pattern, "/**"]),
} if not startswith(pattern, "/")

# A glob that stands for it in one of its parts: .cup*/rulebook.yml.
may_match(path, pattern) if {
	not is_glob(pattern)
	some wanted in split(tidy(pattern), "/")
	some part in split(lower(path), "/")
	regex.match(`[*?\[{]`, part)
	regex.match(`[a-z0-9.]`, part)
	startswith(wanted, ".") == startswith(part, ".")
	wanted != ""
	glob.match(part, null, wanted)
}

# Every way in which the event's tool names a file, with the way it is shown.
touched contains path if {
	some file in object.get(input.belay.tool, "files", [])
	some key in ["real", "path", "path_native"]
	path := file[key]
	is_string(path)
}

touched contains path if {
	path := input.resolved_file_path
	is_string(path)
}

# The paths that searches and fetches name; patterns count as paths.
named contains text if {
	some key in ["pattern", "path", "file_path", "filePath", "notebook_path", "url", "glob"]
	text := input.belay.tool.input[key]
	is_string(text)
}

named contains path if some path in touched

named contains text if some text in given

# Every text that an MCP tool, or one that belay does not know, is given, and what
# it leads to.
given contains text if {
	input.belay.tool.kind in {"mcp", "other"}
	walk(input.belay.tool.input, [_, text])
	is_string(text)
	not contains(text, "\n")
}

given contains urlquery.decode(text) if {
	some text in given_urls
}

given_urls contains text if {
	input.belay.tool.kind in {"mcp", "other"}
	walk(input.belay.tool.input, [_, text])
	is_string(text)
	startswith(text, "file:")
}

# With links followed, by the facts.
named contains effect.target if {
	input.belay.tool.kind in {"mcp", "other", "search"}
	some effect in input.belay.effects
	effect.path
}

given contains effect.target if {
	input.belay.tool.kind in {"mcp", "other"}
	some effect in input.belay.effects
	effect.path
}

# An absolute form of what a rulebook names, for "is it above?".
absolute(pattern) := tidy(pattern) if startswith(pattern, "/")

absolute(pattern) := tidy(concat("/", [input.belay.where.cwd, pattern])) if not startswith(pattern, "/")

# The one of several paths to show: an absolute one, where there is one.
shown(hits) := min({path | some path in hits; startswith(path, "/")}) if {
	some path in hits
	startswith(path, "/")
}

shown(hits) := min(hits) if {
	every path in hits {
		not startswith(path, "/")
	}
}
