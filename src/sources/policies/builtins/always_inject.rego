# METADATA
# scope: package
# title: Context with every prompt
# custom:
#   severity: LOW
#   id: BUILTIN-INJECT-PROMPT
#   routing:
#     required_events: ["prompt"]
package cupcake.policies.builtins.claude_code_always_inject_on_prompt

import rego.v1

config := input.builtin_config.claude_code_always_inject_on_prompt

dynamic := [text |
	some name in config.signals
	value := input.signals[name]
	text := as_text(value)
]

as_text(value) := value if is_string(value)

as_text(value) := json.marshal(value) if {
	not is_string(value)
	not value.success == false
}

add_context contains concat("\n\n", all) if {
	all := [text |
		some text in array.concat(config.static_contexts, dynamic)
		text != ""
	]
	count(all) > 0
}
