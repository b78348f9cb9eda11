# Command lines: the facts in the forms that policies ask for.
package belay.system.shell_test

import data.belay.system.shell
import rego.v1

of(command) := {"belay": object.union(
	{
		"where": {"cwd": "/r"},
		"tool": {"kind": "shell", "shell": {"command": command, "cwd": "/r"}},
	},
	data.facts[command],
)}

test_command_of_words if {
	event := {"belay": {"tool": {"kind": "shell", "shell": {"command": ["rm", "-rf", "a"]}}}}
	shell.command == "rm -rf a" with input as event
}

test_no_command_of_another_tool if {
	event := {"belay": {"tool": {"kind": "file.read"}, "commands": [], "effects": [{"path": true, "place": "home"}]}}
	not shell.command with input as event
	count(shell.effects) == 0 with input as event
}

test_texts_are_the_commands_that_run if {
	every command in [`rm $'\x2eenv'`, "a=.en; rm ${a}v", "sh -c 'rm .en''v'"] {
		some text in shell.texts with input as of(command)
		text == "rm .env"
	}
}

test_words_are_bare if {
	shell.words(`cat 'a b' "c"d >e;f`) == ["cat", "a", "b", "cd", "e", "f"]
}

test_names_sees_through_quotes_and_patterns if {
	every text in ["cat .env", "cat '.e'nv", "cat .e*v", "cat .{env,x}", "cat <.env", "x=.env", "cat ./.ENV"] {
		shell.names(text, ".env")
	}
	every text in ["cat env", "cat .envrc", "echo environment"] {
		not shell.names(text, ".env")
	}
}

# Effects at a place, by what they do.
kinds_at(pattern) := {effect.kind |
	some effect in shell.effects
	shell.is_at(effect, pattern)
}

kinds(command, pattern) := found if found := kinds_at(pattern) with input as of(command)

test_effects_at_a_place if {
	kinds("cat .env", ".env") == {"read"}
	kinds("rm .e*v", ".env") == {"delete"}
	kinds("rm .en$X", ".env") == {"delete"}
	kinds("rm $X/.env", ".env") == {"delete"}
	kinds("rm $X", ".env") == set()
	kinds("echo .env", ".env") == set()
	kinds(`rm -rf "$HOME"`, "/home/dev") == {"delete"}
}

changing := [effect | some effect in shell.effects; shell.changes(effect)]

changes(command) if count(changing) > 0 with input as of(command)

test_changes if {
	every command in ["rm a", "sudo rm a", "git clean -fd", "find . -name x -delete", "cat a >b", "sed -i s/a/b/ c"] {
		changes(command)
	}
	every command in ["ls rmdir.txt", "echo farm", "git log", "cat a 2>/dev/null; grep x a | sort"] {
		not changes(command)
	}
}

all_above(pattern) := [effect | some effect in shell.effects; shell.is_above(effect, pattern)]

above(command, pattern) if count(all_above(pattern)) > 0 with input as of(command)

test_folders_that_hold_a_place if {
	above("rm -rf .", "src")
	above("mv /r /x", "/r/src/a")
	above("git clean -fd", "src")
	not above("rm -rf build", "src")
	not above("rm *.bak", "src")
	not above("ls .", "src")
}

test_suspects if {
	count(shell.suspects("src")) == 1 with input as of("frob src")
	count(shell.suspects("src")) == 1 with input as of("python3 -c 'x(\"src\")'")
	count(shell.suspects("src")) == 0 with input as of("echo src")
	count(shell.suspects("src")) == 0 with input as of("ssh h frob src")
}

test_links if {
	count(shell.links("src")) == 1 with input as of("ln -s src x")
	count(shell.links("src")) == 0 with input as of("ln -s other x")
	count(shell.links("src")) == 0 with input as of("cat src")
}
