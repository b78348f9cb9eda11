# git, and the forges behind it.
package belay.packs

import rego.v1

# METADATA
# title: Force push
# description: A push that may overwrite commits on the remote.
# custom:
#   id: git/force-push
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git push --force-with-lease --force-if-includes
hits contains {"rule": "git/force-push", "what": "overwrites the remote branch"} if {
	some command in input.belay.commands
	command.program == "git"
}
