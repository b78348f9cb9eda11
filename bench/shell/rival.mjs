// SPDX-License-Identifier: Apache-2.0
// Times unbash over the texts of bench-shell: each many times in this process, the best
// of several rounds, by the processor's clock.
// Usage: node rival.mjs NODE_MODULES TEXTS
import { readFileSync, readdirSync } from 'node:fs'

const [modules, texts] = process.argv.slice(2)
const { parse } = await import(`${modules}/unbash/dist/parser.js`)
const ROUNDS = 15

function cpuMicroseconds() {
	const { user, system } = process.cpuUsage()
	return user + system
}

for (const name of readdirSync(texts).sort()) {
	const text = readFileSync(`${texts}/${name}`, 'utf8')
	const repeats = text.length > 1000 ? 50 : 2000
	let best = Infinity
	for (let round = 0; round < ROUNDS; round++) {
		const start = cpuMicroseconds()
		for (let i = 0; i < repeats; i++) parse(text)
		best = Math.min(best, (cpuMicroseconds() - start) / repeats)
	}
	const label = `${name.slice(2)}: unbash`
	console.log(
		`${label.padEnd(42)} ${String(text.length).padStart(9)} bytes ` +
		`${best.toFixed(1).padStart(11)} us ${((best * 1000) / text.length).toFixed(1).padStart(7)} ns/byte`)
}
