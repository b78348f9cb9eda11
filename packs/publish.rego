# publish: what reaches other people.
package belay.packs

import rego.v1

is_deploy(command) if command.operands[0] in {"deploy", "publish"}

is_deploy(command) if "production" in object.keys(command.options)

is_deploy(command) if command.program in {"surge", "gh-pages"}

# METADATA
# title: A package is published
# custom:
#   id: publish/registry
#   severity: high
#   modes: [ask, deny, deny]
#   instead: npm pack --dry-run, cargo package, twine check
hits contains found("publish/registry", effect) if {
	some effect in acts["publish:registry"]
}

# METADATA
# title: A published package is withdrawn or handed over
# custom:
#   id: publish/withdraw
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: publish a new version
hits contains found("publish/withdraw", effect) if {
	some effect in acts["publish:withdraw"]
}

# METADATA
# title: An image or chart is pushed
# custom:
#   id: publish/image
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: build it with --load
hits contains found("publish/image", effect) if {
	some effect in acts["publish:image"]
}

# METADATA
# title: A release is made
# custom:
#   id: publish/release
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: --snapshot, --dry-run
hits contains found("publish/release", effect) if {
	some effect in acts["publish:release"]
}

hits contains found_command("publish/release", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "release"
	command.operands[1] in {"create", "edit", "upload"}
	not "draft" in object.keys(command.options)
}

# METADATA
# title: A release is deleted
# custom:
#   id: publish/release-delete
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found_command("publish/release-delete", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "release"
	command.operands[1] in {"delete", "delete-asset"}
}

# METADATA
# title: A site or application is put online
# custom:
#   id: publish/site
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: preview or build only
hits contains found("publish/site", effect) if {
	some effect in acts["publish:site"]
}

hits contains found_command("publish/site", command) if {
	some command in live_commands
	command.program in {"vercel", "netlify", "firebase", "surge", "gh-pages", "wrangler", "fly", "flyctl"}
	is_deploy(command)
}

# METADATA
# title: A login to a registry
# custom:
#   id: publish/login
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: let the person log in
hits contains found_command("publish/login", command) if {
	some command in live_commands
	command.program in {"npm", "yarn", "pnpm", "docker", "podman", "cargo", "gem", "helm", "twine"}
	words_of(command)[0] in {"login", "adduser"}
}
