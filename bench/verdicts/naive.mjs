// SPDX-License-Identifier: Apache-2.0
// A hook that anybody could write in an evening: the line is parsed by unbash,
// and each simple command is compared with a list of dangerous ones.  It shows
// what a good parser alone is worth.  Usage: naive.mjs FOLDER_OF_NODE_MODULES,
// with an event of Claude Code on standard input.
import { readFileSync } from "node:fs";

const { parse, forEachChild } = await import(`${process.argv[2]}/unbash/dist/parser.js`)
	.then(async (parser) => ({
		...parser,
		...(await import(`${process.argv[2]}/unbash/dist/traversal.js`)),
	}));

// program and the words that must all be among its own; a word may be a regexp
const DANGEROUS = [
	["rm", /^-[a-z]*r/i, /^([/~]|\.\.?$|\$HOME|\*)/],
	["git", "push", /^(-f|--force.*|\+.*)$/],
	["git", "reset", "--hard"],
	["git", "clean", /^-[a-z]*f/],
	["git", "checkout", "."],
	["git", "commit", /^(-n|--no-verify)$/],
	["cat", /(\.env$|\.ssh\/|\.aws\/)/],
	["terraform", "destroy"],
	["kubectl", "delete"],
	["dropdb"],
	["dd", /^of=\/dev\//],
	[/^mkfs/],
	["docker", "--privileged"],
	["npm", "publish"],
	["aws", "s3", "rb"],
	["chmod", /^-R$/, /^0?777$/],
	["sh"],
	["bash", "-c"],
	["shutdown"],
	["crontab"],
];

const fits = (pattern, word) =>
	pattern instanceof RegExp ? pattern.test(word) : pattern === word;

function dangerous(words) {
	const own = words[0] === "sudo" ? words.slice(1) : words;
	return DANGEROUS.find(([program, ...needed]) =>
		own.length && fits(program, own[0]) &&
		needed.every((one) => own.slice(1).some((word) => fits(one, word))));
}

let found;
function visit(node) {
	if (node.type === "Command" && node.name)
		found ??= dangerous([node.name, ...node.suffix].map((word) => word.value));
	forEachChild(node, visit);
}

const event = JSON.parse(readFileSync(0, "utf8"));
visit(parse(event.tool_input?.command ?? ""));
if (found)
	console.log(JSON.stringify({
		hookSpecificOutput: {
			hookEventName: "PreToolUse",
			permissionDecision: "deny",
			permissionDecisionReason: `dangerous: ${found.join(" ")}`,
		},
	}));
