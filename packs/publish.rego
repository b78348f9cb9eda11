# publish: what reaches other people.
package belay.packs

import rego.v1

is_deploy(command) if command.operands[0] in {"deploy", "publish"}

is_deploy(command) if "prod" in object.keys(command.options)

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
	not is_local_registry(object.get(effect, "target", ""))
}

hits contains found_command("publish/image", command) if {
	some command in live_commands
	command.program == "skopeo"
	command.operands[0] in {"copy", "sync"}
	target := command.operands[count(command.operands) - 1]
	startswith(target, "docker://")
	not is_local_registry(target)
}

is_local_registry(name) if regex.match(`^(docker://)?(localhost|127\.[0-9.]+|\[::1\]|host\.docker\.internal|kind-registry)(:[0-9]+)?/`, name)

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

# METADATA
# title: An application goes to production
# custom:
#   id: publish/app
#   severity: medium
#   modes: [ask, ask, deny]
#   instead: deploy a preview
hits contains found_command("publish/app", command) if {
	some command in live_commands
	command.program in {"vercel", "netlify"}
	"prod" in object.keys(command.options)
}

hits contains found_command("publish/app", command) if {
	some command in live_commands
	command.program in {"fly", "flyctl", "railway", "render", "eb", "kamal", "cap", "dokku", "sam", "serverless", "sls", "sst", "copilot", "amplify", "gcloud", "cdk8s"}
	some word in array.slice(command.operands, 0, 3)
	word in {"deploy", "up", "launch"}
	not command.program == "railway"
}

hits contains found_command("publish/app", command) if {
	some command in live_commands
	command.program == "railway"
	command.operands[0] in {"up", "redeploy"}
}

hits contains found_command("publish/app", command) if {
	some command in live_commands
	command.program == "git"
	words_of(command)[0] == "push"
	some word in command.operands
	word in {"heroku", "dokku", "production", "azure", "gigalixir"}
}

# METADATA
# title: A build goes to a store
# custom:
#   id: publish/store
#   severity: high
#   modes: [ask, deny, deny]
#   instead: build it only
hits contains found_command("publish/store", command) if {
	some command in live_commands
	words := concat(" ", array.concat([command.program], array.slice(command.argv, 1, count(command.argv))))
	uploads_to_store(words)
}

# METADATA
# title: A workflow is started
# custom:
#   id: publish/trigger
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: list the workflows, and name the one
hits contains found_command("publish/trigger", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"workflow", "ci", "pipeline"}
	command.operands[1] in {"run", "trigger"}
}

hits contains found_command("publish/trigger", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "api"
	some word in command.operands
	regex.match(`/dispatches$|/pipelines?(/trigger)?$`, word)
}

# METADATA
# title: A comment or issue is posted
# custom:
#   id: publish/comment
#   severity: low
#   modes: ["off", "off", ask]
hits contains found_command("publish/comment", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"issue", "pr", "mr", "discussion"}
	command.operands[1] in {"comment", "create", "new", "edit", "close", "reopen", "review", "note", "update"}
}

hits contains found("publish/comment", effect) if {
	some effect in acts["publish:message"]
}

# One literal: it is compiled with the packs.
uploads_to_store(words) if regex.match(`^fastlane (.* )?(release|deliver|upload_to_app_store|upload_to_play_store|supply|pilot|beta)|^(deliver|supply|pilot)( |$)|^(xcrun )?(altool|notarytool) .*(--upload-app|--upload-package|submit)|^(xcrun )?iTMSTransporter|^eas (submit|update)|^(npx )?(chrome-webstore-upload|web-ext sign)|^snapcraft (upload|push|release)|^butler push|^steamcmd .*run_app_build|^appcenter (distribute|codepush)`, words)
