// SPDX-License-Identifier: Apache-2.0
// libbelay: hooks and policies of AI coding agents, for agents in JavaScript.
// index.d.ts is the manual.  What is thrown means that there is no decision: do
// not do what you asked about.
'use strict';

const native = require(process.env.LIBBELAY_NATIVE ||
  `./prebuilt/linux-${process.arch}/libbelay.node`);

const { words, askFor } = require('./items.js');

const Verdict = Object.freeze({ NONE: 0, ALLOW: 1, ASK: 2, DENY: 3 });
const Flag = Object.freeze({
  LENIENT: 1, NO_PROJECT_GATE: 2, TRUST_ALL: 4, NO_LOG: 8, LOG_PAYLOAD: 16,
  NO_POLICIES: 32, WITH_HOOKS: 64, EXPLAIN: 128,
});
// The exit statuses of belay(1), the same in both libraries.
const Status = Object.freeze({
  USAGE: 64, SYNTAX: 65, INVALID: 66, NOT_FOUND: 67, EXISTS: 68, UNSUPPORTED: 69,
  NO_MEMORY: 70, SYSTEM: 71, LIMIT: 75, TIMEOUT: 76, DENIED: 77, CONFIG: 78,
});

class BelayError extends Error {
  constructor(message, status, diagnostics) {
    super(diagnostics.map((one) => `${one.file}:${one.line}:${one.column}: ${one.message}`)
      .join('\n') || message);
    this.name = 'BelayError';
    this.status = status;
    this.diagnostics = diagnostics;
  }
}

function rethrow(error) {
  if (error && typeof error.status === 'number' && typeof error.diagnostics === 'string') {
    throw new BelayError(error.message, error.status, JSON.parse(error.diagnostics));
  }
  throw error;
}

function checked(name, ...values) {
  try {
    return native[name](...values);
  } catch (error) {
    return rethrow(error);
  }
}

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
const fromText = (text) => (text === null ? undefined : JSON.parse(text));

class Reply {
  constructor(raw) {
    Object.assign(this, raw);
  }
  get isAllowed() {
    return this.verdict === Verdict.NONE || this.verdict === Verdict.ALLOW;
  }
  get mustAsk() {
    return this.verdict === Verdict.ASK;
  }
  get result() {
    return JSON.parse(this.resultJson);
  }
  get answer() {
    return JSON.parse(this.answerJson || '{}');
  }
  get explanation() {
    return fromText(this.explanationJson);
  }
  get updatedInput() {
    const answer = this.answer;
    const own = answer.hookSpecificOutput;
    return answer.updated_input ?? own?.updatedInput ?? own?.tool_input ??
      answer.overrideInput ?? answer.args ?? answer.arguments;
  }
}

const MAX_FOLDERS = 64; // as in native/engine.c

// What native.ask does, by number: native/engine.c.
const ASK = {
  reload: 0, reloadIfChanged: 1, addWorkspace: 2, removeWorkspace: 3, trust: 4, untrust: 5,
  hasHook: 6, hooks: 7, log: 8,
};

class Engine {
  #engine;

  constructor(options = {}) {
    const known = ['workspaces', 'plugins', 'flags', 'policyTimeoutMs', 'profile', 'home',
      'stateDir', 'systemRoot', 'agentVersion', 'leastSandbox', 'agent', 'policyDir',
      'globalConfig'];
    const wrong = Object.keys(options).find((name) => !known.includes(name));
    if (wrong !== undefined) throw new TypeError(`no option of an engine is named ${wrong}`);
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined || value === null) continue;
      const isRight = name === 'workspaces' || name === 'plugins'
        ? Array.isArray(value) && value.length <= MAX_FOLDERS &&
          value.every((one) => typeof one === 'string')
        : typeof value === (['flags', 'policyTimeoutMs'].includes(name) ? 'number' : 'string');
      if (!isRight) throw new TypeError(`the option ${name} of an engine has the wrong type or size`);
    }
    this.#engine = checked('engineNew', options);
  }

  async dispatch(event, payload, options = {}) {
    const { timeoutMs = 0, explain = false, signal } = options;
    signal?.throwIfAborted();
    const cancel = signal ? native.cancelNew() : undefined;
    const stop = () => native.cancelSet(cancel);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return new Reply(await native.dispatch(
        this.#engine, event, asText(payload), timeoutMs, explain ? 1 : 0, cancel));
    } catch (error) {
      return rethrow(error);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  dispatchSync(event, payload, options = {}) {
    const { timeoutMs = 0, explain = false } = options;
    return new Reply(checked('dispatchSync', this.#engine, event, asText(payload), timeoutMs,
      explain ? 1 : 0));
  }

  #ask(what, number = 0, word = undefined) {
    return checked('ask', this.#engine, ASK[what], number, word);
  }

  reload() { this.#ask('reload'); }
  reloadIfChanged() { return this.#ask('reloadIfChanged'); }
  hasHook(event) { return this.#ask('hasHook', 0, event); }
  addWorkspace(path) { this.#ask('addWorkspace', 0, path); }
  removeWorkspace(path) { this.#ask('removeWorkspace', 0, path); }
  trust(path, { whole = false } = {}) { this.#ask('trust', whole ? 1 : 0, path); }
  untrust(path) { this.#ask('untrust', 0, path); }
  hooks() { return JSON.parse(this.#ask('hooks')); }
  log(most = 100) { return JSON.parse(this.#ask('log', most)); }
  explain(event, payload) {
    return JSON.parse(checked('explain', this.#engine, event, asText(payload)));
  }
  close() { checked('engineClose', this.#engine); }
}

class Query {
  #query;
  #isTrue; // borrows #query

  constructor(query) {
    this.#query = query;
    this.#isTrue = checked('asker', query, words);
  }

  isTrue(input) {
    try {
      if (input === undefined) return this.#isTrue(0, '');
      return askFor(this.#isTrue, input) ?? this.#isTrue(JSON.stringify(input));
    } catch (error) {
      return rethrow(error);
    }
  }

  run(input, options = {}) {
    const { strictErrors = false, explain = false, timeoutMs = 0, maxSteps = 0, maxBytes = 0 } =
      options;
    const raw = checked('run', this.#query, input === undefined ? null : JSON.stringify(input),
      (strictErrors ? 1 : 0) | (explain ? 2 : 0), timeoutMs, maxSteps, maxBytes);
    return {
      isTrue: raw.isTrue,
      isDefined: raw.valueJson !== null,
      value: fromText(raw.valueJson),
      solutions: fromText(raw.solutionsJson) ?? [],
      explanation: fromText(raw.explanationJson),
    };
  }
}

class Policies {
  #policies;

  constructor(policies) { this.#policies = policies; }
  query(text) { return new Query(checked('query', this.#policies, text)); }
  withData(data) {
    return new Policies(checked('withData', this.#policies, JSON.stringify(data)));
  }
  image() { return checked('image', this.#policies); }
}

const rego = {
  compile(modules, options = {}) {
    const { data, bundles = [], v0 = false, strict = false, explainable = false,
      capabilities, schemas } = options;
    const flags = (v0 ? 1 : 0) | (strict ? 2 : 0) | (explainable ? 8 : 0);
    const text = (value) => (value === undefined ? null : asText(value));
    return new Policies(checked('compile', Object.entries(modules),
      data === undefined ? null : JSON.stringify(data), bundles.map((path) => [path]), flags,
      text(capabilities), text(schemas)));
  },
  open: (image) => new Policies(checked('open', image)),
  format: (source, { name = 'policy.rego', v0 = false } = {}) =>
    checked('text', 0, name, source, v0 ? 1 : 0),
  parse: (source, { name = 'policy.rego', v0 = false } = {}) =>
    JSON.parse(checked('text', 1, name, source, v0 ? 1 : 0)),
};

module.exports = {
  Engine, BelayError, Verdict, Flag, Status, rego,
  version: native.version,
  profiles: () => native.profiles(),
  profile: (name) => JSON.parse(checked('profile', name)),
  validateHooks: (text, { profile, source } = {}) =>
    JSON.parse(checked('validate', 0, profile, source, text)),
  validateOutput: (event, output, { profile } = {}) =>
    JSON.parse(checked('validate', 1, profile, event, output)),
};
