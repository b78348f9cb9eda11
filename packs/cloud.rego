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
	is_this_machine(word)
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

hits contains found_command("cloud/state", command) if {
	some command in live_commands
	command.program == "pulumi"
	command.operands[0] in {"stack", "state"}
	command.operands[1] in {"rm", "delete", "import", "move", "rename"}
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
	command.operands[1] in {"rm", "mv"}
	"recursive" in object.keys(command.options)
	some word in array.slice(command.operands, 2, 3)
	startswith(word, "s3://")
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

hits contains found_command("cloud/sync-delete", command) if {
	some command in live_commands
	command.program == "gcloud"
	command.operands[0] == "storage"
	command.operands[1] == "rsync"
	"--delete-unmatched-destination-objects" in command.argv
}

# rclone sync makes the destination like the source.
hits contains found_command("cloud/sync-delete", command) if {
	some command in live_commands
	command.program == "rclone"
	command.operands[0] in {"sync", "bisync"}
	regex.match(`^:?[A-Za-z0-9_-]+:`, command.operands[2])
}

hits contains found_command("cloud/sync-delete", command) if {
	some command in live_commands
	command.program in {"mc", "s3cmd", "s5cmd", "az", "azcopy"}
	some word in command.argv
	regex.match(`^--(remove|delete-removed|delete|delete-destination(=true)?)$`, word)
	some verb in {"mirror", "sync"}
	verb in command.operands
}

hits contains found_command("cloud/bucket", command) if {
	some command in removals.bucket
}

# METADATA
# title: A project, resource group or subscription is deleted
# custom:
#   id: cloud/account
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list it
hits contains found_command("cloud/account", command) if {
	some command in removals.account
}

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

# Programs whose operands are a service, a thing and a verb.
cloud_programs := {
	"aws", "gcloud", "az", "doctl", "eksctl", "fly", "flyctl", "heroku", "vercel", "netlify", "railway", "wrangler", "supabase",
	"vault", "hcloud", "linode-cli", "oci", "ibmcloud", "scw", "civo", "exo", "vultr-cli", "aliyun", "render", "eb", "sam",
	"argocd", "confluent", "flux", "istioctl", "cilium", "kops", "b2", "nomad", "pscale", "neonctl", "turso", "atlas", "flarectl", "firebase", "pd", "cloudflared",
}

cloud_commands contains command if {
	some command in live_commands
	command.program in cloud_programs
}

# The words that say what is done, without the names it is done to: "ec2 terminate-instances",
# "compute instances delete", "apps:destroy".
verb_words(command) := regex.replace(lower(concat(" ", array.slice(command.operands, 0, 5))), `^(alpha|beta|preview) `, "")

takes_away(command) if {
	command.program != "aws"
	regex.match(taking_away, verb_words(command))
}

# aws has the verb in front of its thing: ec2 terminate-instances.
takes_away(command) if {
	command.program == "aws"
	regex.match(taking_away, command.operands[1])
}

taking_away := `^down($| )|(^|[ :-])(delete|destroy|remove|rm|purge|terminate|deallocate|uninstall|deregister|schedule-key-deletion|delete-.*|terminate-.*|purge-.*|remove-.*|disable|disable-.*|close-.*|leave-.*|release-.*|deactivate-.*|stop-logging|stop-configuration-recorder|update-trail|drop|wipe)($|[ -])`

# The thing that a command works on: the first row that fits. The order matters: a snapshot of a
# database is a snapshot.
cloud_things := [
	["own rules", `^(s3|cloudformation)( |$)`],
	["account", `^(group|account|subscription|organizations|iam compartment|projects delete)( |$)`],
	["bucket", `^(s3api|storage|r2|os (bucket|object)|object-storage)( |$)`],
	["iam", `^(iam|sts|role|ad|policy|access) `],
	["audit-off", `^(cloudtrail|guardduty|securityhub|macie2?|configservice|config|inspector2?|access-analyzer|detective)( |$)|^logging sinks|^monitor diagnostic-settings|^security |^audit (disable|delete)`],
	["snapshot", `snapshot|backup|recovery-point|restore-point|(^|[ :-])images?($|[ -])|delete-amis?|^artifacts|^acr|^ecr|container images|registry`],
	["secret-store", `^(secretsmanager|kms|keyvault|secrets?|kv|transit|pki)($|[ :])|^ssm delete-parameter|^(vault )?(kv|secrets|lease|token|policy|auth)( |$)|[ :]secrets?[ :]`],
	["setting", `^(env|config|variables?)($|[ :])`],
	["cluster", `^(eks|aks|cluster|container clusters?|kubernetes|k8s|lke|ce cluster|redshift|emr|ecs delete-cluster|dataproc|hdinsight)( |$)|nodegroup|node-?pool|cluster`],
	["database", `^(rds|dynamodb|elasticache|docdb|neptune|memorydb|dms|opensearch|es|sql|spanner|bigtable|firestore|redis|cosmosdb|postgres|mysql|databases?|pg|mongo|d1|addons|db|branch|branches|kv:?namespace)($|[ :])|(^| )(database|databases|table|tables|redis|postgres|volumes? of)( |$)|cosmosdb`],
	["queue", `^(sqs|sns|kinesis|firehose|kafka|mq|pubsub|servicebus|eventhubs|queues?|events|eventbridge|topic|topics)($|[ :])|kafka`],
	["dns", `^(route53|route53domains|dns|network dns|domains?|compute domain|zone|zones)($|[ :])|record-?set|dns`],
	["network", `vpc|subnet|gateway|security-?groups?|firewall|load-?balancer|elbv?2?( |$)|network|address|route|peering|certificate|^certs|^acm|^cloudfront|cdn|forwarding|^ips|target-group`],
	["monitor", `^(cloudwatch|logs|monitor|monitoring|logging|alerts?|xray|synthetics)($|[ :])|alarm|dashboard`],
	["app", `^(lambda|functions?|run|app|apps|webapp|functionapp|amplify|apprunner|ecs|elasticbeanstalk|beanstalk|sites?|workers?|pages|deployments?|projects?|services?|containerapp|staticwebapp|batch|codepipeline|codebuild|stepfunctions|apigateway|apigatewayv2|api|hosting|ps|remove|delete|destroy|down|terminate|rm|machines?)($|[ :])`],
	["compute", `^(ec2|ebs|efs|fsx|lightsail|autoscaling|vm|vmss|disk|compute|droplet|server|instance|instances|linodes|volumes?|ssd|block|iot)($|[ :-])`],
]

thing_of(command) := [row[0] | some row in cloud_things; regex.match(row[1], verb_words(command))][0]

removals[thing] contains command if {
	some command in cloud_commands
	takes_away(command)
	thing := thing_of(command)
}

removals.unknown contains command if {
	some command in cloud_commands
	takes_away(command)
	not thing_of(command)
}

# METADATA
# title: The record of a cloud is switched off
# description: Audit trails, detectors, recorders, sinks of logs.
# custom:
#   id: cloud/audit-off
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found_command("cloud/audit-off", command) if {
	some command in removals["audit-off"]
}

# METADATA
# title: A snapshot, image or backup is deleted
# custom:
#   id: cloud/snapshot
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list them
hits contains found_command("cloud/snapshot", command) if {
	some command in removals.snapshot
}

# METADATA
# title: A stored secret or key is deleted
# custom:
#   id: cloud/secret-store
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list the names
hits contains found_command("cloud/secret-store", command) if {
	some command in removals["secret-store"]
}

# METADATA
# title: A managed cluster is deleted
# custom:
#   id: cloud/cluster
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: describe it
hits contains found_command("cloud/cluster", command) if {
	some command in removals.cluster
}

# METADATA
# title: A managed database, cache or table is deleted
# custom:
#   id: cloud/database
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: take a snapshot, and leave the rest to the person
hits contains found_command("cloud/database", command) if {
	some command in removals.database
}

# METADATA
# title: A queue, topic or stream is deleted or emptied
# custom:
#   id: cloud/queue
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: look without taking, or describe it
hits contains found_command("cloud/queue", command) if {
	some command in removals.queue
}

# METADATA
# title: A zone or record of names is deleted or replaced
# custom:
#   id: cloud/dns
#   severity: high
#   modes: [ask, deny, deny]
#   instead: export the zone first
hits contains found_command("cloud/dns", command) if {
	some command in removals.dns
}

# Creates, replaces and deletes, as a file says.
hits contains found_command("cloud/dns", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[1] == "change-resource-record-sets"
}

# METADATA
# title: A network, load balancer or certificate is deleted
# custom:
#   id: cloud/network
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: describe it
hits contains found_command("cloud/network", command) if {
	some command in removals.network
}

# METADATA
# title: A monitor, alarm or group of logs is deleted
# custom:
#   id: cloud/monitor
#   severity: high
#   modes: [ask, deny, deny]
#   instead: describe it
hits contains found_command("cloud/monitor", command) if {
	some command in removals.monitor
}

# METADATA
# title: A function, site or hosted application is deleted
# custom:
#   id: cloud/app
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list it, or read its logs
hits contains found_command("cloud/app", command) if {
	some command in removals.app
}

hits contains found_command("cloud/app", command) if {
	some command in live_commands
	command.program == "nomad"
	"stop" in array.slice(command.operands, 0, 2)
	"purge" in object.keys(command.options)
}

# METADATA
# title: A machine or disk is deleted
# custom:
#   id: cloud/compute
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: stop it
hits contains found_command("cloud/compute", command) if {
	some command in removals.compute
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

# Who may use one thing: a bucket, a queue, a key, a function.
hits contains found_command("cloud/iam", command) if {
	some command in live_commands
	command.program == "aws"
	regex.match(`^(put-.*-policy|set-.*-policy|put-resource-policy|add-permission|create-grant|put-(bucket|object)-acl)$`, command.operands[1])
	not regex.match(`lifecycle|scaling|retention|delivery`, command.operands[1])
}

hits contains found_command("cloud/iam", command) if {
	some command in live_commands
	command.program in {"gcloud", "az"}
	some word in command.operands
	regex.match(`^(add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding)$|^role$`, word)
	not "list" in command.operands
	not "show" in command.operands
}

hits contains found_command("cloud/iam", command) if {
	some command in removals.iam
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

# METADATA
# title: Something in a cloud is deleted
# description: A verb that deletes, on a thing that no rule above names.
# custom:
#   id: cloud/unknown-delete
#   severity: high
#   modes: [ask, deny, deny]
#   instead: --help, a dry run, describe or list
hits contains found_command("cloud/unknown-delete", command) if {
	some command in removals.unknown
}

# METADATA
# title: A stored secret or setting is set
# custom:
#   id: cloud/secret-write
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: let the person set it
hits contains found_command("cloud/secret-write", command) if {
	some command in removals.setting
}

hits contains found_command("cloud/secret-write", command) if {
	some command in cloud_commands
	regex.match(`^(secrets?|env|config|variables?|keyvault|secretsmanager|ssm|kv)([ :][a-z-]+)*[ :-](set|unset|add|put|rm|import|create|update|patch|(put|create|update)-(secret|secret-value|parameter))($| )`, verb_words(command))
}

hits contains found_command("cloud/secret-write", command) if {
	some command in live_commands
	command.program == "doppler"
	command.operands[0] == "secrets"
	command.operands[1] in {"set", "delete", "upload"}
}

# METADATA
# title: Storage, a port or a service is opened to everybody
# custom:
#   id: cloud/public
#   severity: high
#   modes: [ask, deny, deny]
#   instead: name who may reach it
hits contains found_command("cloud/public", command) if {
	some command in cloud_commands
	changes_cloud(command)
	some word in command.argv
	regex.match(everybody, word)
}

hits contains found_command("cloud/public", command) if {
	some command in live_commands
	command.program == "gsutil"
	command.operands[0] in {"iam", "acl", "defacl"}
	command.operands[1] in {"ch", "set"}
	some word in command.operands
	regex.match(everybody, word)
}

hits contains found_command("cloud/public", command) if {
	some command in live_commands
	command.program == "mc"
	command.operands[0] in {"anonymous", "policy"}
	command.operands[1] == "set"
	command.operands[2] != "none"
}

hits contains found_command("cloud/public", command) if {
	some command in live_commands
	command.program == "aws"
	"delete-public-access-block" in command.operands
}

hits contains found_command("cloud/public", command) if {
	some command in live_commands
	command.program == "aws"
	"put-public-access-block" in command.operands
	some word in command.argv
	regex.match(`(?i)=false`, word)
}

# METADATA
# title: A resource of a cloud is made or changed
# custom:
#   id: cloud/mutation
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: describe it first
hits contains found_command("cloud/mutation", command) if {
	some command in cloud_commands
	changes_cloud(command)
	not takes_away(command)
}

# METADATA
# title: Money is moved, or live payments are changed
# description: Refunds, payouts, subscriptions; a key of the live mode that writes.
# custom:
#   id: cloud/payments
#   severity: high
#   modes: [ask, deny, deny]
#   instead: use the test mode and a test key
hits contains found_command("cloud/payments", command) if {
	some command in live_commands
	command.program == "stripe"
	"live" in object.keys(command.options)
	some word in command.operands
	word in {"create", "update", "delete", "cancel", "confirm", "capture", "refund", "pay", "post", "trigger"}
}

hits contains found_command("cloud/payments", command) if {
	some command in live_commands
	is_live_key(command)
	sends_data(command)
}

# A verb that makes or changes, in the words in front of the names.
changes_cloud(command) if regex.match(`(^|[ :-])(create|update|put|patch|modify|set|add|attach|authorize|enable|deploy|start|stop|run|scale|resize|import|apply|cp|sync|(create|update|put|modify|set|add|attach|authorize|enable|start|stop|run|register|import|associate)-[a-z0-9-]+)($| )`, verb_words(command))

everybody := `(?i)(^|[:=/"])(allUsers|allAuthenticatedUsers)($|[:,"])|^public-read(-write)?$|(^|[=, ])(0\.0\.0\.0/0|::/0)|^--allow-unauthenticated$|^--allow-blob-public-access(=true)?$|"Principal": *"\*"`

is_live_key(command) if {
	some word in command.argv
	regex.match(`(^|[^a-z])(sk|rk)_live_`, word)
}

sends_data(command) if command.program == "stripe"

sends_data(command) if {
	some name in {"data", "data-raw", "data-binary", "data-urlencode", "form", "json", "request"}
	name in object.keys(command.options)
}
