# Command lines: what a shell makes of a text, and what a command does with a path.
package belay.system.shell_test

import data.belay.system.shell
import rego.v1

of(command) := {"belay": {"tool": {"kind": "shell", "shell": {"command": command, "cwd": "/r"}}}}

test_command_of_words if shell.command == "rm -rf a" with input as of(["rm", "-rf", "a"])

test_no_command_of_another_tool if {
	not shell.command with input as {"belay": {"tool": {"kind": "file.read"}}}
}

test_escapes_are_read if {
	some text in shell.texts with input as of(`rm $'\x2eenv'`)
	shell.plain(text) == "rm .env"
	some octal in shell.texts with input as of(`rm $'\056env'`)
	shell.plain(octal) == "rm .env"
}

test_variables_are_put_in if {
	some text in shell.texts with input as of("a=.en; rm ${a}v $PWD/x")
	contains(text, "rm .env /r/x")
}

test_continued_lines_are_joined if {
	some text in shell.texts with input as of("rm .e\\\nnv")
	text == "rm .env"
}

test_words_are_bare if {
	shell.words(`cat 'a b' "c"d >e;f`) == ["cat", "a", "b", "cd", "e", "f"]
}

test_pipelines_are_split if {
	shell.pipelines("a | b; c && d || e\nf & g 2>&1") == ["a | b", "c", "d", "e", "f", "g 2>&1"]
}

test_names_sees_through_quotes_and_patterns if {
	every text in ["cat .env", "cat '.e'nv", "cat .e*v", "cat .{env,x}", "cat <.env", "x=.env", "cat ./.ENV"] {
		shell.names(text, ".env") with input as of(text)
	}
	every text in ["cat env", "cat .envrc", "echo environment"] {
		not shell.names(text, ".env") with input as of(text)
	}
}

test_reads_knows_commands_that_only_read if {
	every text in ["cat a", "grep -r x . | sort | uniq -c", "cat a 2>/dev/null", "/bin/cat a", "git log", "x=1"] {
		shell.reads(text)
	}
}

test_reads_refuses_what_writes if {
	every text in [
		"cat a >b", "cat a | tee b", "sed -i s/a/b/ c", "find . -delete", "sort -o a a",
		"awk 'BEGIN { system(\"x\") }'", "cat $(rm a)", "git checkout a", "uniq a b", "tree -o a",
	] {
		not shell.reads(text)
	}
}

test_destroys if {
	every text in ["rm a", "sudo rm a", "x; /bin/rm a", "git clean -fd", "find . -name x -delete", "rsync --delete a b"] {
		shell.destroys(text)
	}
	every text in ["ls rmdir.txt", "echo farm", "git log"] {
		not shell.destroys(text)
	}
}

test_above if {
	shell.above("/r", "src") with input as {"belay": {"where": {"cwd": "/r"}}}
	shell.above("/r/src/", "/r/src/a") with input as {}
	not shell.above("/r/src", "/r/srcs") with input as {}
}

test_destroyed_folders if {
	event := object.union(of("rm -rf build"), {"affected_parent_directories": ["/r/build"], "named_paths": []})
	shell.destroyed == {"/r/build"} with input as event
}

test_single_files_are_not_their_folder if {
	event := object.union(of("rm *.bak"), {"affected_parent_directories": ["/r"], "named_paths": []})
	count(shell.destroyed) == 0 with input as event
}

test_runs_code if {
	shell.runs_code("python3 -c 'x'")
	shell.runs_code("a; node --check -e x")
	not shell.runs_code("python3 a.py")
}
