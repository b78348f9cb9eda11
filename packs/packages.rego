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
# title: A package whose name is nearly that of a well-known one
# description: One letter too many, too few, another, or two that changed places.
# custom:
#   id: packages/look-alike
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: the known name
hits contains found("packages/look-alike", effect) if {
	some key in {"package:add", "package:global"}
	some effect in acts[key]
	effect.state == "known"
	name := lower(regex.replace(effect.target, `(.)(@|[=<>~!\[;]).*$`, "$1"))
	not name in well_known
	not name in neighbours
	some known in well_known
	abs(count(name) - count(known)) < 2
	is_near(name, known)
}

is_near(name, known) if lacks_one(name, known)

is_near(name, known) if lacks_one(known, name)

is_near(name, known) if {
	some i in numbers.range(0, count(known) - 1)
	substring(name, 0, i) == substring(known, 0, i)
	substring(name, i + 1, -1) == substring(known, i + 1, -1)
}

is_near(name, known) if {
	some i in numbers.range(0, count(known) - 2)
	name == concat("", [substring(known, 0, i), substring(known, i + 1, 1), substring(known, i, 1), substring(known, i + 2, -1)])
}

lacks_one(short_name, long_name) if {
	some i in numbers.range(0, count(long_name) - 1)
	short_name == concat("", [substring(long_name, 0, i), substring(long_name, i + 1, -1)])
}

# Names that many type, of six letters or more. Neighbours are well-known packages, too.
well_known := {
	"express", "lodash", "webpack", "typescript", "eslint", "prettier", "mongoose", "sequelize", "nodemon", "dotenv",
	"commander", "inquirer", "puppeteer", "playwright", "cypress", "tailwindcss", "next-auth", "socket.io", "passport",
	"jsonwebtoken", "bcrypt", "body-parser", "cross-env", "electron", "ethers", "discord.js", "styled-components",
	"react-dom", "react-native", "react-router", "redux-thunk", "angular", "svelte", "vitest", "rollup", "esbuild",
	"requests", "urllib3", "pandas", "matplotlib", "tensorflow", "pytorch-lightning", "transformers", "scikit-learn",
	"django", "fastapi", "uvicorn", "gunicorn", "sqlalchemy", "pydantic", "beautifulsoup4", "selenium", "pillow",
	"cryptography", "paramiko", "boto3", "botocore", "python-dateutil", "setuptools", "virtualenv", "pytest", "openai",
	"anthropic", "langchain", "colorama", "jinja2", "celery", "psycopg2", "opencv-python", "tokenizers",
	"serde_json", "reqwest", "clap_derive", "tracing", "anyhow", "thiserror", "regex-syntax",
}

neighbours := {"request", "psycopg", "urllib"}

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
# title: Packages are removed by a list that is not known
# description: All that is installed, as another command prints it.
# custom:
#   id: packages/remove-list
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name them, or make the virtual environment anew
hits contains found("packages/remove-list", effect) if {
	some key in {"package:remove", "package:remove-system"}
	some effect in acts[key]
	effect.state == "unknown"
	some origin in {"generated", "file", "input", "network"}
	origin in effect.origins
}

hits contains found_opaque("packages/remove-list", one) if {
	some one in opaque
	one.reason == "arguments"
	some key in {"package:remove", "package:remove-system"}
	some effect in acts[key]
	effect.command == one.command
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
	some name in {"index-url", "extra-index-url", "registry", "index", "default-index", "find-links", "source"}
	some address in object.get(command.options, name, [])
	regex.match(`^https?://`, address)
	not regex.match(`^https://([a-z0-9-]+\.)*(pypi\.org|pythonhosted\.org|npmjs\.org|npmjs\.com|yarnpkg\.com|npmmirror\.com|pytorch\.org|crates\.io|rubygems\.org|nvidia\.com|github\.com)(/|$)`, address)
	not is_this_machine(address)
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
# title: Another package manager than the project's
# description: The project has the lock file of another one, and none of this.
# custom:
#   id: packages/manager
#   severity: low
#   modes: ["off", "off", monitor]
#   instead: the project's own manager
hits contains found("packages/manager", effect) if {
	some effect in acts["package:other-manager"]
}

# METADATA
# title: A lock file is deleted
# custom:
#   id: packages/lockfile
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: update NAME
hits contains found("packages/lockfile", effect) if {
	some effect in paths.delete
	regex.match(`/(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock|Podfile\.lock)$`, effect.target)
}

is_for_all(effect) if effect.action == "global"

is_for_all(effect) if "global" in effect.details
