// SPDX-License-Identifier: Apache-2.0
// The Node binding: right values by belay.h and rego.h, each failure an exception.
// TAP; started by tests/bindings/run.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Engine, BelayError, Verdict, Flag, Status, rego, ...belay } = require('libbelay');

const EVENT = 'beforeShellExecution';
const NO_PUSH = 'if grep -q push; then echo \'{"permission":"deny","user_message":"no"}\';' +
  " else echo '{}'; fi";
const tests = {};

function makeHome(...commands) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'belay-node-'));
  fs.mkdirSync(home + '/.cursor');
  fs.writeFileSync(home + '/.cursor/hooks.json', JSON.stringify({
    version: 1, hooks: { [EVENT]: commands.map((command) => ({ command })) } }));
  return home;
}

function makeEngine(...commands) {
  const home = makeHome(...commands);
  return new Engine({ home, stateDir: home + '/state' });
}

const failsWith = (status) => (error) => error instanceof BelayError && error.status === status;

tests['a hook allows and refuses'] = async () => {
  const engine = makeEngine(NO_PUSH);
  assert.equal((await engine.dispatch(EVENT, { command: 'ls' })).isAllowed, true);
  const reply = await engine.dispatch(null,
    JSON.stringify({ hook_event_name: EVENT, command: 'git push' }), { explain: true });
  assert.equal(reply.verdict, Verdict.DENY);
  assert.equal(reply.isAllowed, false);
  assert.equal(reply.code, 'REJECTED_BY_HOOK');
  assert.match(reply.userText, /: no\n/);
  assert.equal(reply.result.decision, 'deny');
  assert.equal(reply.answer.permission, 'deny');
  assert.equal(reply.explanation.hooks[0].outcome, 'answered');
  assert.equal(reply.isRecorded, true);
  assert.equal(engine.log().length, 2);
  assert.equal(engine.hasHook(EVENT), true);
  assert.equal(engine.hasHook('stop'), false);
  assert.equal(engine.dispatchSync(EVENT, { command: 'git push' }).verdict, Verdict.DENY);
  engine.close();
  assert.throws(() => engine.dispatchSync(EVENT, {}), TypeError);
};

tests['failures are exceptions with a status'] = async () => {
  const engine = makeEngine(NO_PUSH);
  await assert.rejects(engine.dispatch(EVENT, '{'), failsWith(Status.SYNTAX));
  await assert.rejects(engine.dispatch('noSuchEvent', {}), failsWith(Status.NOT_FOUND));
  assert.throws(() => engine.dispatchSync(EVENT, '{'), failsWith(Status.SYNTAX));
  assert.throws(() => new Engine({ workspaces: ['/nonexistent/here'] }),
    (error) => failsWith(Status.INVALID)(error) && /nonexistent/.test(error.message));
  assert.throws(() => new Engine({ hoem: '/tmp' }), TypeError);
  assert.throws(() => belay.profile('nobody'), failsWith(Status.NOT_FOUND));
};

tests['many at once, and a closed engine ends what it began'] = async () => {
  // each waits for the two others: only at once do they end
  const engine = makeEngine('cat >$HOME/in$$; touch $HOME/up$$; i=0;' +
    ' until [ $(ls $HOME/up* | wc -l) = 3 ]; do sleep 0.05; i=$((i+1));' +
    " [ $i -lt 400 ] || exit 2; done; grep -q push $HOME/in$$ && exit 2; echo '{}'");
  const replies = ['ls', 'git push', 'make'].map((command) =>
    engine.dispatch(EVENT, { command }));
  engine.close();
  assert.deepEqual((await Promise.all(replies)).map((reply) => reply.isAllowed),
    [true, false, true]);
};

tests['a deadline and a signal refuse'] = async () => {
  const engine = makeEngine('sleep 300');
  const late = await engine.dispatch(EVENT, { command: 'ls' }, { timeoutMs: 50 });
  assert.equal(late.verdict, Verdict.DENY);
  assert.equal(late.result.executions[0].outcome, 'deadline');
  const stop = new AbortController();
  const given = engine.dispatch(EVENT, { command: 'ls' }, { signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  assert.equal((await given).result.executions[0].outcome, 'cancelled');
  await assert.rejects(engine.dispatch(EVENT, {}, { signal: stop.signal }),
    { name: 'AbortError' });
};

tests['policies decide and change inputs'] = async () => {
  const home = makeHome();
  const engine = new Engine({ agent: 'claude', policyDir: process.env.BELAY_FOLDER, home,
    stateDir: home + '/state' });
  const ask = (command) => engine.dispatchSync('PreToolUse', {
    hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } });
  assert.equal(ask('echo hello').isAllowed, true);
  assert.equal(ask('echo hello').updatedInput, undefined);
  assert.deepEqual(ask('echo test').updatedInput, { command: 'echo test --quiet' });
  assert.equal(ask('echo deploy').mustAsk, true);
  assert.equal(ask('rm -rf ~').verdict, Verdict.DENY);
};

tests['checks without an engine'] = async () => {
  assert.equal(belay.profiles()[0], 'cursor');
  assert.ok(belay.profile().events.some((event) => event.name === EVENT));
  assert.equal(belay.validateHooks('{"version":1,"hooks":{}}').valid, true);
  assert.equal(belay.validateHooks('{"version":"x"}').valid, false);
  assert.equal(belay.validateOutput(EVENT, '{"permission":"deny"}').verdict, 'deny');
};

const POLICY = `package authz
default allow := false
allow if input.user == data.owner
names contains name if some name in input.names
`;

tests['rego answers'] = async () => {
  const policies = rego.compile({ 'authz.rego': POLICY }, { data: { owner: 'ann' } });
  const query = policies.query('data.authz.allow');
  assert.equal(query.isTrue({ user: 'ann' }), true);
  assert.equal(query.isTrue({ user: 'bob' }), false);
  assert.equal(query.isTrue(), false);
  assert.equal(query.isTrue({ user: 'ann', more: 'x'.repeat(10000) }), true);
  assert.equal(policies.withData({ owner: 'bob' }).query('data.authz.allow')
    .isTrue({ user: 'bob' }), true);
  assert.deepEqual(policies.query('data.authz.names').run({ names: ['b', 'a', 'b'] }).value,
    ['a', 'b']);
  assert.equal(policies.query('data.authz.nothing').run({}).isDefined, false);
  assert.deepEqual(policies.query('x := input.n[_]').run({ n: [1, 2] }).solutions
    .map((one) => one.bindings.x), [1, 2]);
};

tests['values cross as JSON.stringify has them'] = async () => {
  const policies = rego.compile({ 'a.rego': 'package a\nsame if input == data.it' });
  let deep = [];
  for (let i = 0; i < 200; i++) deep = [deep];
  class Point { constructor() { this.x = 1; } }
  const asks = { get a() { return policies.query('input.b').isTrue({ b: true }); }, c: 'd' };
  const bare = Object.assign(Object.create(null), { a: 1 });
  for (const value of [null, true, false, 0, -0, -1, 0.5, -1e-7, 1e300, 2 ** 53, NaN, Infinity, '',
    'plain', 'a "quoted" \\ word\n', '\x00\x1f\x7f', 'caf\u00e9 \u20ac \u{1f600}', [], [[], {}],
    [1, , 3], [undefined], {}, { '': { a: [1] } }, { 'k\n"': 'v', 7: 8 }, { a: undefined, b: 1 },
    { a() {}, b: 1 }, { toJSON: () => 'mine' }, new Date(0), new Point(), new String('s'), bare,
    new Map([[1, 2]]), 'x'.repeat(100000), 'x'.repeat(16384), 'x'.repeat(16385),
    Array.from({ length: 1023 }, (_, i) => i),
    Array.from({ length: 1024 }, (_, i) => i), Array.from({ length: 9000 }, (_, i) => i), deep, asks,
    2 ** 31, -(2 ** 31), 2 ** 31 - 1]) {
    const given = policies.withData({ it: JSON.parse(JSON.stringify(value)) });
    assert.equal(given.query('data.a.same').isTrue(value), true, JSON.stringify(value));
  }
  const query = policies.query('data.a.same');
  const circle = {};
  circle.circle = circle;
  assert.throws(() => query.isTrue(circle), TypeError);
  assert.throws(() => query.isTrue(1n), TypeError);
  assert.throws(() => query.isTrue(() => 1), failsWith(Status.USAGE));
  const growing = [1, { get a() { growing.push(3); return 2; } }];
  assert.equal(policies.withData({ it: [1, { a: 2 }, 3] }).query('data.a.same')
    .isTrue(growing), true);
  const throwing = { get a() { throw new RangeError('no'); } };
  assert.throws(() => query.isTrue(throwing), RangeError);
  Object.prototype.inherited = 1;
  try {
    assert.equal(policies.withData({ it: {} }).query('data.a.same').isTrue({}), true);
  } finally {
    delete Object.prototype.inherited;
  }
};

tests['rego errors have places'] = async () => {
  assert.throws(() => rego.compile({ 'a.rego': 'package a\nx := y\nz := w\n' }), (error) => {
    assert.equal(error.status, Status.INVALID);
    assert.deepEqual(error.diagnostics.map((one) => [one.file, one.line, one.column]),
      [['a.rego', 2, 6], ['a.rego', 3, 6]]);
    return /^a\.rego:2:6: /.test(error.message);
  });
  const endless = rego.compile({ 'b.rego':
    'package b\np if { some i in numbers.range(1, 1000000)\ni == -1 }' }).query('data.b.p');
  assert.throws(() => endless.run({}, { maxSteps: 1000 }), failsWith(Status.LIMIT));
};

tests['rego images and texts'] = async () => {
  const policies = rego.compile({ 'a.rego': 'package a\np := input.n + 1' });
  assert.equal(rego.open(policies.image()).query('data.a.p').run({ n: 1 }).value, 2);
  assert.throws(() => rego.open(Buffer.from('not an image')), failsWith(Status.INVALID));
  assert.equal(rego.format('package a\np:=1'), 'package a\n\np := 1\n');
  assert.equal(rego.parse('package a').package.path[1].value, 'a');
  const explained = rego.compile({ 'a.rego': 'package a\np if input.x' }, { explainable: true });
  assert.ok(explained.query('data.a.p').run({ x: true }, { explain: true }).explanation);
};

tests['many decisions keep no memory'] = async () => {
  const query = rego.compile({ 'authz.rego': POLICY }, { data: { owner: 'ann' } })
    .query('data.authz.allow');
  const engine = new Engine({ agent: 'claude', policyDir: process.env.BELAY_FOLDER,
    home: makeHome(), flags: Flag.NO_LOG });
  const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash',
    tool_input: { command: 'rm -rf ~' } };
  const rounds = async (count) => {
    for (let i = 0; i < count; i++) {
      query.isTrue({ user: 'ann' });
      query.run({ user: 'ann' });
      engine.dispatchSync('PreToolUse', event);
    }
    for (let i = 0; i < count / 50; i++) await engine.dispatch('PreToolUse', event);
  };
  // a round is three decisions; under valgrind, which says what leaks, few do
  const count = Math.floor(Number(process.env.DECISIONS ?? 4500) / 3);
  await rounds(Math.min(count, 600));
  const before = process.memoryUsage().rss;
  await rounds(count);
  const grown = process.memoryUsage().rss - before;
  console.log(`# ${3 * count} decisions: ${Math.floor(grown / 1024)} KB more memory`);
  // JavaScript's own heap comes and goes, by some megabytes
  assert.ok(grown < Math.min(count * 8192, 48 << 20) || 'VALGRIND' in process.env, grown);
};

(async () => {
  let number = 0;
  for (const [name, run] of Object.entries(tests)) {
    number++;
    try {
      await run();
      console.log(`ok ${number} - node: ${name}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`not ok ${number} - node: ${name}`);
      console.log(`# ${String(error.stack).replaceAll('\n', '\n# ')}`);
    }
  }
  console.log(`1..${number}`);
})();
