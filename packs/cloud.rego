# cloud: clouds, infrastructure tools, hosted applications.
package belay.packs

import rego.v1

terraforms := {"terraform", "tofu", "terragrunt"}

# Commands that would do something: not --help, not --dry-run.
live_commands contains command if {
	some command in commands
	not command.dry
}

# A whole part of a name between - _ . / : says production.
is_production(name) if regex.match(`(?i)(^|[-_./:@])(prod|production|prd|live)($|[-_./:@])`, name)

is_local_address(command) if {
	some word in command.operands
	regex.match(`^([a-z]+://)?(localhost|127\.[0-9.]+|\[::1\]|0\.0\.0\.0)([:/]|$)`, word)
}

# METADATA
# title: A whole stack is destroyed
# description: terraform, tofu, pulumi, cdk, serverless and their like.
# custom:
#   id: cloud/destroy
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: plan -destroy -out=FILE, and give the plan to the person
hits contains found("cloud/destroy", effect) if {
	some effect in acts["cloud:destroy"]
}

hits contains found_command("cloud/destroy", command) if {
	some command in live_commands
	command.program in {"cdk", "serverless", "sls", "sst", "copilot", "amplify"}
	some word in array.slice(command.argv, 1, 3)
	word in {"destroy", "remove", "delete"}
}

hits contains found_command("cloud/destroy", command) if {
	some command in live_commands
	command.program == "aws"
	"cloudformation" in command.operands
	some word in {"delete-stack", "delete-stack-set"}
	word in command.operands
}

# METADATA
# title: A change of infrastructure without a question
# custom:
#   id: cloud/apply
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: save the plan, and show it
hits contains found("cloud/apply", effect) if {
	some effect in acts["cloud:apply"]
}

# METADATA
# title: State of an infrastructure tool is removed or moved
# custom:
#   id: cloud/state
#   severity: high
#   modes: [ask, deny, deny]
#   instead: state list
hits contains found_command("cloud/state", command) if {
	some command in live_commands
	command.program in terraforms
	command.operands[0] in {"state", "force-unlock", "taint", "workspace"}
	command.operands[1] in {"rm", "mv", "push", "replace-provider", "delete"}
}

hits contains found_command("cloud/state", command) if {
	some command in live_commands
	command.program in terraforms
	command.operands[0] in {"force-unlock", "taint"}
}

# METADATA
# title: A bucket, or everything under a prefix, is deleted
# custom:
#   id: cloud/bucket
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: ls --summarize first
hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[0] == "s3"
	command.operands[1] == "rb"
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[0] == "s3"
	command.operands[1] == "rm"
	"recursive" in object.keys(command.options)
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "aws"
	some word in {"delete-bucket", "delete-objects", "put-bucket-lifecycle-configuration"}
	word in command.operands
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "gsutil"
	command.operands[0] in {"rm", "rb"}
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "gcloud"
	command.operands[0] == "storage"
	some word in {"rm", "delete"}
	word in command.operands
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program in {"mc", "s3cmd"}
	command.operands[0] in {"rb", "rm", "del"}
}

hits contains found_command("cloud/bucket", command) if {
	some command in live_commands
	command.program == "rclone"
	command.operands[0] in {"purge", "delete", "rmdirs"}
}

# METADATA
# title: A copy to a bucket that deletes at its destination
# custom:
#   id: cloud/sync-delete
#   severity: high
#   modes: [ask, deny, deny]
#   instead: without --delete, or with --dryrun
hits contains found_command("cloud/sync-delete", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[0] == "s3"
	command.operands[1] == "sync"
	"delete" in object.keys(command.options)
}

hits contains found_command("cloud/sync-delete", command) if {
	some command in live_commands
	command.program == "gsutil"
	command.operands[0] == "rsync"
	"-d" in command.argv
}

# METADATA
# title: A project, resource group or subscription is deleted
# custom:
#   id: cloud/account
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list it
hits contains found_command("cloud/account", command) if {
	some command in live_commands
	command.program == "gcloud"
	command.operands[0] == "projects"
	"delete" in command.operands
}

hits contains found_command("cloud/account", command) if {
	some command in live_commands
	command.program == "az"
	command.operands[0] in {"group", "account"}
	"delete" in command.operands
}

# METADATA
# title: A resource of a cloud is deleted
# description: Machines, disks, databases, functions, networks, keys, secrets, queues, clusters.
# custom:
#   id: cloud/delete
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: describe it, or take a snapshot first
hits contains found_command("cloud/delete", command) if {
	some command in live_commands
	command.program == "aws"
	not command.operands[0] in {"s3", "cloudformation"}
	some word in command.operands
	regex.match(`^(delete|terminate|purge|deregister|remove|destroy|cancel|disable|revoke|schedule-key-deletion|stop-logging)(-|$)`, word)
}

hits contains found_command("cloud/delete", command) if {
	some command in live_commands
	command.program in {"gcloud", "az", "doctl", "eksctl", "fly", "flyctl", "heroku", "vercel", "netlify", "railway", "wrangler", "supabase", "vault"}
	not command.operands[0] in {"projects", "group", "account", "storage"}
	some word in array.slice(command.operands, 0, 4)
	regex.match(`(^|:|-)(delete|destroy|remove|rm|purge|deallocate|uninstall)$`, word)
}

# METADATA
# title: A service is scaled to nothing
# custom:
#   id: cloud/scale-zero
#   severity: high
#   modes: [ask, deny, deny]
#   instead: describe it
hits contains found_command("cloud/scale-zero", command) if {
	some command in live_commands
	command.program == "aws"
	"update-service" in command.operands
	some value in command.options["desired-count"]
	value == "0"
}

hits contains found_command("cloud/scale-zero", command) if {
	some command in live_commands
	command.program in {"fly", "flyctl", "heroku"}
	some word in command.operands
	regex.match(`^(count|scale|ps:scale|[a-z]+=0)$`, word)
	some zero in command.operands
	regex.match(`(^|=)0$`, zero)
}

# METADATA
# title: Rights in a cloud are changed
# custom:
#   id: cloud/iam
#   severity: high
#   modes: [ask, deny, deny]
hits contains found_command("cloud/iam", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[0] in {"iam", "sts", "organizations"}
	some word in command.operands
	regex.match(`^(create|attach|put|add|update)-`, word)
}

hits contains found_command("cloud/iam", command) if {
	some command in live_commands
	command.program in {"gcloud", "az"}
	some word in command.operands
	regex.match(`^(add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding)$|^role$`, word)
	not "list" in command.operands
	not "show" in command.operands
}

# METADATA
# title: A deletion through an API
# custom:
#   id: cloud/api
#   severity: high
#   modes: [ask, deny, deny]
#   instead: read it with GET first
hits contains found_command("cloud/api", command) if {
	some command in live_commands
	command.program in {"curl", "http", "https", "xh", "wget"}
	some value in array.concat(object.get(command.options, "request", []), object.get(command.options, "method", []))
	upper(value) == "DELETE"
	not is_local_address(command)
}

hits contains found_command("cloud/api", command) if {
	some command in live_commands
	command.program in {"http", "https", "xh"}
	command.operands[0] == "DELETE"
	not is_local_address(command)
}

# METADATA
# title: A profile, project or context with the word production
# custom:
#   id: cloud/context
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name it for one read with --profile
hits contains found_command("cloud/context", command) if {
	some command in live_commands
	command.program in {"gcloud", "az", "aws"}
	some word in {"set", "use"}
	word in command.operands
	some other in command.operands
	is_production(other)
}
