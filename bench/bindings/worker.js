// SPDX-License-Identifier: Apache-2.0
// Node's part of the bench: one engine a process.
// Usage: worker.js ENGINE POLICIES ROUNDS [WASM_FOLDER]; prints one line of JSON.
'use strict';

const fs = require('node:fs');

const [, , ENGINE, POLICIES, ROUNDS, WASM] = process.argv;
const SMALL = ['rbac', 'api_access', 'time_based', 'data_sensitivity', 'data_processing',
  'keyvault', 'nsg', 'storage', 'vm'];
const TEXTS = SMALL.map((name) => fs.readFileSync(`${POLICIES}/${name}/policy.rego`, 'utf8'));
const INPUTS = SMALL.map((name) => [1, 2, 3].map((i) =>
  JSON.parse(fs.readFileSync(`${POLICIES}/${name}/input${i}.json`, 'utf8'))));

const engines = {
  async belay() {
    const { rego } = require('libbelay');
    return TEXTS.map((text) => {
      const query = rego.compile({ 'policy.rego': text }).query('data.bench.allow');
      return (input) => query.isTrue(input);
    });
  },

  async opa_wasm() {
    const { loadPolicy } = require('@open-policy-agent/opa-wasm');
    return Promise.all(SMALL.map(async (name) => {
      const policy = await loadPolicy(fs.readFileSync(`${WASM}/${name}.wasm`));
      policy.setData({});
      return (input) => policy.evaluate(input)[0].result;
    }));
  },

  // the first policy alone, said in Cedar
  async cedar() {
    const cedar = require('@cedar-policy/cedar-wasm/nodejs');
    const policies = `
permit(principal, action, resource) when {
  principal.active && principal.roles.contains("admin") };
permit(principal, action in [Action::"read", Action::"write"], resource) when {
  principal.active && principal.roles.contains("editor") };
permit(principal, action == Action::"read", resource) when {
  principal.active && principal.roles.contains("viewer") };
permit(principal, action, resource) when { resource.owner == principal.name };`;
    return [({ user, action, resource }) => cedar.isAuthorized({
      principal: { type: 'User', id: user.name }, action: { type: 'Action', id: action },
      resource: { type: 'Thing', id: resource.name }, context: {},
      policies: { staticPolicies: policies },
      entities: [{ uid: { type: 'User', id: user.name }, parents: [], attrs: user },
        { uid: { type: 'Thing', id: resource.name }, parents: [], attrs: resource }],
    }).response.decision === 'allow'];
  },
};

(async () => {
  const started = process.hrtime.bigint();
  const asks = await engines[ENGINE]();
  const answers = asks.map((ask, i) => INPUTS[i].map((input) => Boolean(ask(input))));
  const start = Number(process.hrtime.bigint() - started);
  const times = [];
  for (let round = 0; round < Number(ROUNDS); round++) {
    asks.forEach((ask, i) => {
      for (const input of INPUTS[i]) {
        const before = process.hrtime.bigint();
        ask(input);
        times.push(Number(process.hrtime.bigint() - before));
      }
    });
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ answers, start_ns: start,
    times: [times[times.length >> 1], times[Math.floor(times.length * 0.99)]] }));
})();
