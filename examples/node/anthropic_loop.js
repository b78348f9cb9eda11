// SPDX-License-Identifier: Apache-2.0
// A tool-using loop in the shape of Anthropic's client, guarded by belay.
//
//     node anthropic_loop.js FOLDER     (FOLDER has .belay)
//
// In place of new Anthropic() there is a mock, so that this runs anywhere.
'use strict';

const { Guard } = require('./guard');
const { Anthropic } = require('./mock_model');

const tools = [{ name: 'Bash', description: 'Runs a command line',
  input_schema: { type: 'object', properties: { command: { type: 'string' } },
    required: ['command'] } }];

async function loop(client, guard, task) {
  const messages = [{ role: 'user', content: task }];
  for (;;) {
    const answer = await client.messages.create(
      { model: 'mock', max_tokens: 1000, messages, tools });
    messages.push({ role: 'assistant', content: answer.content });
    if (answer.stop_reason !== 'tool_use') return answer.content[0].text;
    const results = [];
    for (const block of answer.content.filter(({ type }) => type === 'tool_use')) {
      const content = await guard.run(block.name, block.input);
      console.log(content.trim().split('\n')[0]);
      results.push({ type: 'tool_result', tool_use_id: block.id, content,
        is_error: content.startsWith('refused') });
    }
    messages.push({ role: 'user', content: results });
  }
}

async function ask(question, input) {
  console.log('asked:', question);
  return input.command === 'echo deploy to staging';
}

loop(new Anthropic(), new Guard(process.argv[2], ask), 'Try what you may.').then(console.log);
