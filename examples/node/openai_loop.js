// SPDX-License-Identifier: Apache-2.0
// A tool-calling loop in the shape of OpenAI's client, guarded by belay.
//
//     node openai_loop.js FOLDER        (FOLDER has .belay)
//
// In place of new OpenAI() there is a mock, so that this runs anywhere.
'use strict';

const { Guard } = require('./guard');
const { OpenAI } = require('./mock_model');

const tools = [{ type: 'function', function: {
  name: 'Bash', description: 'Runs a command line',
  parameters: { type: 'object', properties: { command: { type: 'string' } },
    required: ['command'] } } }];

async function loop(client, guard, task) {
  const messages = [{ role: 'user', content: task }];
  for (;;) {
    const { message } = (await client.chat.completions.create(
      { model: 'mock', messages, tools })).choices[0];
    messages.push(message);
    if (!message.tool_calls) return message.content;
    for (const call of message.tool_calls) {
      const result = await guard.run(call.function.name, JSON.parse(call.function.arguments));
      console.log(result.trim().split('\n')[0]);
      messages.push({ role: 'tool', tool_call_id: call.id, content: result });
    }
  }
}

async function ask(question, input) {
  console.log('asked:', question);
  return input.command === 'echo deploy to staging';
}

loop(new OpenAI(), new Guard(process.argv[2], ask), 'Try what you may.').then(console.log);
