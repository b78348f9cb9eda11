# The functions of Cupcake's helper library.
package cupcake.system.commands

import rego.v1

# Is verb a word of the command?
has_verb(command, verb) if {
	regex.match(concat("", [`(^|\s)`, verb, `(\s|$)`]), command)
}

has_dangerous_verb(command, verbs) if {
	some verb in verbs
	has_verb(command, verb)
}

creates_symlink(command) if {
	has_verb(command, "ln")
	contains(command, "-s")
}

symlink_involves_path(command, path) if {
	creates_symlink(command)
	contains(command, path)
}

has_output_redirect(command) if {
	some pattern in [`\s>\s`, `\s>>\s`, `\s\|\s`, `(^|\s)tee(\s|$)`]
	regex.match(pattern, command)
}
