# Cupcake's helper library, under both of its names.
package cupcake.system.commands_test

import data.cupcake.system.commands
import rego.v1

test_verbs_are_words if {
	commands.has_verb("rm -rf a", "rm")
	commands.has_verb("x && rm a", "rm")
	not commands.has_verb("farm a", "rm")
	commands.has_dangerous_verb("sudo dd if=a", {"rm", "dd"})
	not commands.has_dangerous_verb("ls", {"rm", "dd"})
}

test_symlinks if {
	commands.creates_symlink("ln -s a b")
	not commands.creates_symlink("ln a b")
	commands.symlink_involves_path("ln -sf .belay x", ".belay")
	not commands.symlink_involves_path("ln -sf a x", ".belay")
}

test_redirects if {
	every text in ["echo a > b", "echo a >> b", "a | b", "a | tee b"] {
		commands.has_output_redirect(text)
	}
	not commands.has_output_redirect("cat a")
}
