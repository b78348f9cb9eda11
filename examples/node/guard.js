// SPDX-License-Identifier: Apache-2.0
// The guard of both loops: what belay says of a tool call before it is made.
'use strict';

const { spawnSync } = require('node:child_process');
const { Engine } = require('libbelay');

class Guard {
  constructor(folder, ask) {
    this.engine = new Engine({ agent: 'claude', policyDir: folder });
    this.ask = ask; // gets the question and the arguments, says whether to go on
  }

  // Runs a tool call that is allowed, as it is allowed; else says why not.
  async run(tool, input) {
    let reply;
    try {
      reply = await this.engine.dispatch('PreToolUse', {
        hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input });
    } catch (error) { // no decision is a refusal
      return `refused: ${error.message}`;
    }
    const isGranted = reply.mustAsk && await this.ask(reply.userText, input);
    if (!reply.isAllowed && !isGranted) return `refused: ${reply.modelText || reply.userText}`;
    return Guard.call(reply.updatedInput ?? input);
  }

  static call({ command }) {
    const done = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return done.stdout + done.stderr;
  }
}

module.exports = { Guard };
