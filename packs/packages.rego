# packages: what is installed and from where.
package belay.packs

import rego.v1

# METADATA
# title: A new dependency
# custom:
#   id: packages/add
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: name it, and why
hits contains found("packages/add", effect) if {
	some effect in acts["package:add"]
}

# METADATA
# title: An installation for the whole user or machine
# custom:
#   id: packages/global
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: a project or virtual environment
hits contains found("packages/global", effect) if {
	some key in {"package:global", "package:add", "package:install"}
	some effect in acts[key]
	is_for_all(effect)
}

# METADATA
# title: System packages are installed
# custom:
#   id: packages/system
#   severity: medium
#   modes: [monitor, monitor, deny]
#   instead: a container, or project tools
hits contains found("packages/system", effect) if {
	some effect in acts["package:system"]
}

# METADATA
# title: System packages are removed or all upgraded
# custom:
#   id: packages/remove-system
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: list them
hits contains found("packages/remove-system", effect) if {
	some effect in acts["package:remove-system"]
}

# METADATA
# title: Checks of signatures or certificates are off
# custom:
#   id: packages/checks-off
#   severity: medium
#   modes: [monitor, ask, deny]
hits contains found("packages/checks-off", effect) if {
	some effect in effects
	effect.kind == "package"
	"insecure" in effect.details
}

# METADATA
# title: Another registry or mirror
# custom:
#   id: packages/registry
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name it in the project
hits contains found_command("packages/registry", command) if {
	some command in live_commands
	command.program in {"npm", "yarn", "pnpm", "pip", "pip3", "gem", "cargo", "apt-add-repository", "add-apt-repository"}
	some word in command.operands
	regex.match(`^(registry|ppa:.*|global\.index-url|sources?)$`, word)
	not "get" in command.operands
	not "list" in command.operands
}

# For one installation: an address that is not the registry that everybody uses.
hits contains found_command("packages/registry", command) if {
	some command in live_commands
	some name in {"index-url", "extra-index-url", "registry", "index", "default-index", "find-links"}
	some address in object.get(command.options, name, [])
	regex.match(`^https?://`, address)
	not regex.match(`^https://([a-z0-9-]+\.)*(pypi\.org|pythonhosted\.org|npmjs\.org|npmjs\.com|yarnpkg\.com|npmmirror\.com|pytorch\.org|crates\.io|rubygems\.org|nvidia\.com|github\.com)(/|$)|^https?://(localhost|127\.|\[::1\])`, address)
}

# METADATA
# title: Install scripts are allowed, or run by another shell
# custom:
#   id: packages/scripts-on
#   severity: high
#   modes: [ask, deny, deny]
#   instead: approve one package by name
hits contains found_command("packages/scripts-on", command) if {
	some command in live_commands
	command.program in {"npm", "yarn", "pnpm"}
	some word in command.operands
	regex.match(`^(ignore-scripts|script-shell|enableScripts)(=|$)`, word)
	"set" in command.operands
}

# METADATA
# title: What the project names is installed
# custom:
#   id: packages/install
#   severity: low
#   modes: ["off", "off", monitor]
hits contains found("packages/install", effect) if {
	some effect in acts["package:install"]
}

# METADATA
# title: A lock file is deleted
# custom:
#   id: packages/lockfile
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: update NAME
hits contains found("packages/lockfile", effect) if {
	some effect in paths["delete"]
	regex.match(`/(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock|Podfile\.lock)$`, effect.target)
}

is_for_all(effect) if effect.action == "global"

is_for_all(effect) if "global" in effect.details
