# Paths as rulebooks name them: an absolute path, the last parts of one, patterns.
package belay.system.paths_test

import data.belay.system.paths
import rego.v1

test_tidy_leaves_one_spelling if {
	every path in ["src/a.c", "./src/a.c", "src//a.c", "src/a.c/", "src/./a.c", "SRC/A.c"] {
		paths.tidy(path) == "src/a.c"
	}
}

test_tidy_ends_where_c_ends if paths.tidy(".env\u0000.txt") == ".env"

test_tidy_drops_invisible_characters if paths.tidy(".e\u200bnv") == ".env"

test_tidy_knows_other_names_of_the_root if {
	every path in ["file:///etc/passwd", "/proc/self/root/etc/passwd", "/proc/1/task/1/root//etc/passwd"] {
		paths.tidy(path) == "/etc/passwd"
	}
}

test_last_parts_match_anywhere if {
	every path in ["/r/src/legacy", "src/legacy", "/r/src/legacy/a.c", "./src/legacy/x/y"] {
		paths.matches(path, "src/legacy")
	}
	every path in ["/r/src/legacy2", "/r/src/old", "/r/legacy", "src/xlegacy"] {
		not paths.matches(path, "src/legacy")
	}
}

test_absolute_paths_match_from_the_root if {
	paths.matches("/etc/passwd", "/etc")
	paths.matches("/etc", "/etc/")
	not paths.matches("/r/etc/passwd", "/etc")
	not paths.matches("/etcetera", "/etc")
}

test_patterns if {
	paths.matches("/r/keys/a.pem", "*.pem")
	paths.matches("a.pem", "*.pem")
	paths.matches("/r/src/x/y.c", "src/**")
	not paths.matches("/r/a.pem.txt", "*.pem")
	not paths.matches("/r/x/a.c", "/r/*.c")
}

test_nothing_matches_an_empty_name if not paths.matches("/r/a", "")

test_shown_prefers_absolute_paths if {
	paths.shown({"a", "/r/b", "/r/a"}) == "/r/a"
	paths.shown({"b", "a"}) == "a"
}

test_touched_has_every_name_of_a_file if {
	paths.touched == {"/real/a", "a", "b"} with input as {
		"belay": {"tool": {"files": [{"real": "/real/a", "path": "a", "path_native": 7}]}},
		"resolved_file_path": "b",
	}
}

test_given_reads_texts_of_foreign_tools if {
	tool := {"kind": "mcp", "input": {"a": ["x", {"b": "file:///%65tc"}], "text": "one\ntwo"}}
	paths.given == {"x", "file:///%65tc", "file:///etc"} with input as {"belay": {"tool": tool}}
	count(paths.given) == 0 with input as {"belay": {"tool": object.union(tool, {"kind": "shell"})}}
}
