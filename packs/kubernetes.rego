# kubernetes: clusters.
package belay.packs

import rego.v1

kubectls contains command if {
	some command in live_commands
	command.program in {"kubectl", "oc"}
}

deletes contains command if {
	some command in kubectls
	command.operands[0] == "delete"
}

is_pod_deletion(command) if regex.match(`^(po|pods?|jobs?)(/|$)`, command.operands[1])

# METADATA
# title: A namespace, node, volume or definition of a cluster is deleted
# custom:
#   id: kubernetes/delete-namespace
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: kubectl get all -n NAMESPACE
hits contains found_command("kubernetes/delete-namespace", command) if {
	some command in deletes
	some word in command.operands
	regex.match(`^(ns|namespaces?|nodes?|no|crds?|customresourcedefinitions?|pv|persistentvolumes?|clusterroles?|clusterrolebindings?)(/|$|,)`, word)
}

# METADATA
# title: Many objects of a cluster are deleted at once
# custom:
#   id: kubernetes/delete-many
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: kubectl get with the same selector first
hits contains found_command("kubernetes/delete-many", command) if {
	some command in deletes
	some name in {"all", "all-namespaces", "selector", "kustomize"}
	name in object.keys(command.options)
}

# METADATA
# title: Objects of a cluster are deleted
# custom:
#   id: kubernetes/delete-workload
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl rollout restart, or scale
hits contains found_command("kubernetes/delete-workload", command) if {
	some command in deletes
	not is_pod_deletion(command)
}

# METADATA
# title: A pod or job is deleted
# custom:
#   id: kubernetes/delete-pod
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: kubectl logs, kubectl rollout restart
hits contains found_command("kubernetes/delete-pod", command) if {
	some command in deletes
	is_pod_deletion(command)
}

# METADATA
# title: A node is drained or closed
# custom:
#   id: kubernetes/node
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl describe node
hits contains found_command("kubernetes/node", command) if {
	some command in kubectls
	command.operands[0] in {"drain", "cordon", "taint"}
}

# METADATA
# title: A workload is scaled to nothing
# custom:
#   id: kubernetes/scale-zero
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl get
hits contains found_command("kubernetes/scale-zero", command) if {
	some command in kubectls
	command.operands[0] in {"scale", "autoscale"}
	some value in command.options.replicas
	value == "0"
}

# METADATA
# title: A cluster is changed
# custom:
#   id: kubernetes/apply
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: kubectl diff
hits contains found_command("kubernetes/apply", command) if {
	some command in kubectls
	command.operands[0] in {"apply", "create", "patch", "edit", "set", "annotate", "label", "replace", "expose", "run", "scale", "rollout"}
	not is_rollout_look(command)
}

# METADATA
# title: A change of a cluster that deletes what is not named
# custom:
#   id: kubernetes/prune
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl diff
hits contains found_command("kubernetes/prune", command) if {
	some command in kubectls
	command.operands[0] == "apply"
	"prune" in object.keys(command.options)
}

hits contains found_command("kubernetes/prune", command) if {
	some command in live_commands
	command.program == "argocd"
	command.operands[0] == "app"
	command.operands[1] in {"sync", "rollback"}
	some word in command.argv
	regex.match(`^--(prune|force|replace)(=true)?$`, word)
}

# METADATA
# title: What an address says is put into a cluster
# description: A manifest or chart from the network, which nobody has read.
# custom:
#   id: kubernetes/remote-manifest
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: download it, read it, then apply the file
hits contains found_command("kubernetes/remote-manifest", command) if {
	some command in kubectls
	command.operands[0] in {"apply", "create", "replace", "set"}
	some name in {"filename", "kustomize"}
	some value in command.options[name]
	is_far_source(value)
}

hits contains found_command("kubernetes/remote-manifest", command) if {
	some command in live_commands
	command.program == "helm"
	command.operands[0] in {"install", "upgrade"}
	some word in array.concat(command.operands, object.get(command.options, "values", []))
	is_far_source(word)
}

is_far_source(text) if {
	regex.match(`^(https?|git|oci|s3)://|^git@|^github\.com/`, text)
	not is_this_machine(text)
}

# METADATA
# title: A cluster whose name says production is changed
# custom:
#   id: kubernetes/production
#   severity: high
#   modes: [ask, ask, deny]
#   instead: kubectl diff, and let the person apply it
hits contains found_command("kubernetes/production", command) if {
	some command in live_commands
	command.program in {"kubectl", "oc", "helm"}
	some name in {"context", "cluster", "kube-context", "server"}
	some value in command.options[name]
	is_production(value)
	changes_cluster(command)
}

changes_cluster(command) if {
	words_of(command)[0] in {
		"apply", "create", "patch", "edit", "set", "annotate", "label", "replace", "expose", "run", "scale", "autoscale",
		"exec", "attach", "cp", "debug", "install", "upgrade",
	}
}

changes_cluster(command) if {
	command.operands[0] == "rollout"
	not is_rollout_look(command)
}

# METADATA
# title: A command in a running pod
# custom:
#   id: kubernetes/exec
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: kubectl logs
hits contains found_command("kubernetes/exec", command) if {
	some command in kubectls
	words_of(command)[0] in {"exec", "attach", "cp", "debug"}
}

# METADATA
# title: Another cluster becomes the current one
# custom:
#   id: kubernetes/context
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name --context for one read
hits contains found_command("kubernetes/context", command) if {
	some command in kubectls
	command.operands[0] == "config"
	command.operands[1] in {"use-context", "set-context", "delete-context", "unset", "delete-cluster"}
	some word in command.operands
	is_production(word)
}

# METADATA
# title: A release is removed or reset
# custom:
#   id: kubernetes/helm-remove
#   severity: high
#   modes: [ask, deny, deny]
#   instead: helm --dry-run, helm diff
hits contains found_command("kubernetes/helm-remove", command) if {
	some command in live_commands
	command.program == "helm"
	command.operands[0] in {"uninstall", "delete", "del", "un", "rollback"}
}

hits contains found_command("kubernetes/helm-remove", command) if {
	some command in live_commands
	command.program == "helm"
	command.operands[0] == "upgrade"
	some name in {"force", "reset-values"}
	name in object.keys(command.options)
}

# METADATA
# title: A deletion or replacement without waiting
# custom:
#   id: kubernetes/force
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl delete without --force
hits contains found_command("kubernetes/force", command) if {
	some command in deletes
	"force" in object.keys(command.options)
}

hits contains found_command("kubernetes/force", command) if {
	some command in deletes
	some value in command.options["grace-period"]
	value == "0"
}

hits contains found_command("kubernetes/force", command) if {
	some command in kubectls
	command.operands[0] == "replace"
	"force" in object.keys(command.options)
}

hits contains found_command("kubernetes/force", command) if {
	some command in kubectls
	command.operands[0] == "patch"
	some word in command.argv
	regex.match(`"?finalizers"?\s*:\s*(\[\s*\]|null)|/metadata/finalizers`, word)
}

# METADATA
# title: Rights in a cluster are changed
# custom:
#   id: kubernetes/rbac
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl auth can-i
hits contains found_command("kubernetes/rbac", command) if {
	some command in kubectls
	command.operands[0] in {"create", "delete", "edit", "patch", "replace", "set", "label", "annotate"}
	regex.match(`^(cluster)?role(binding)?s?(/|$)|^serviceaccounts?(/|$)|^sa(/|$)|^token$|^(validating|mutating)(webhookconfiguration|admissionpolicy)s?(/|$)|^(certificatesigningrequests?|csr)(/|$)|^networkpolic(y|ies)(/|$)`, lower(command.operands[1]))
}

hits contains found_command("kubernetes/rbac", command) if {
	some command in kubectls
	command.operands[0] == "certificate"
	command.operands[1] in {"approve", "deny"}
}

hits contains found_command("kubernetes/rbac", command) if {
	some command in live_commands
	command.program == "oc"
	command.operands[0] in {"adm", "policy"}
	some word in command.operands
	regex.match(`^(add|remove)-(cluster-role|role|scc)`, word)
}

# METADATA
# title: A change of a cluster that is not known
# custom:
#   id: kubernetes/unknown-context
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the cluster with --context
hits contains found_command("kubernetes/unknown-context", command) if {
	some command in kubectls
	command.operands[0] in {"delete", "apply", "create", "patch", "edit", "replace", "scale", "drain", "cordon", "taint", "set"}
	some name in {"context", "kubeconfig", "cluster", "server"}
	some value in command.options[name]
	regex.match(`\$`, value)
}

is_rollout_look(command) if command.operands[1] in {"status", "history"}
