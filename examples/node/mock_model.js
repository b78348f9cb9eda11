// SPDX-License-Identifier: Apache-2.0
// Clients in the shape of OpenAI's and Anthropic's, whose model calls one tool
// after the other and then says what it was told.
'use strict';

const COMMANDS = ['echo hello', 'echo test', 'echo deploy to staging',
  'echo deploy to production', 'rm -rf ~'];

class OpenAI {
  chat = { completions: { create: async ({ messages, tools }) => {
    const results = messages.filter(({ role }) => role === 'tool');
    if (results.length === COMMANDS.length) {
      const refused = results.filter(({ content }) => content.startsWith('refused')).length;
      return { choices: [{ message: { role: 'assistant', content: `${refused} refused` } }] };
    }
    return { choices: [{ message: { role: 'assistant', content: null, tool_calls: [{
      id: `call_${results.length}`, function: { name: tools[0].function.name,
        arguments: JSON.stringify({ command: COMMANDS[results.length] }) } }] } }] };
  } } };
}

class Anthropic {
  messages = { create: async ({ messages, tools }) => {
    const results = messages.filter(({ content }) => Array.isArray(content)).flatMap(
      ({ content }) => content).filter(({ type }) => type === 'tool_result');
    if (results.length === COMMANDS.length) {
      const refused = results.filter((block) => block.is_error).length;
      return { stop_reason: 'end_turn', content: [{ type: 'text', text: `${refused} refused` }] };
    }
    return { stop_reason: 'tool_use', content: [{ type: 'tool_use',
      id: `toolu_${results.length}`, name: tools[0].name,
      input: { command: COMMANDS[results.length] } }] };
  } };
}

module.exports = { OpenAI, Anthropic };
