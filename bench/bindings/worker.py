# SPDX-License-Identifier: Apache-2.0
"""Python's part of the bench: one engine a process.
Usage: worker.py ENGINE POLICIES ROUNDS; prints one line of JSON."""
import json
import os
import sys
import time

ENGINE, POLICIES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
SMALL = ["rbac", "api_access", "time_based", "data_sensitivity", "data_processing",
         "keyvault", "nsg", "storage", "vm"]
TEXTS, INPUTS = [], []
for name in SMALL:
    folder = os.path.join(POLICIES, name)
    with open(folder + "/policy.rego", encoding="utf-8") as file:
        TEXTS.append(file.read())
    INPUTS.append([])
    for i in (1, 2, 3):
        with open(f"{folder}/input{i}.json", encoding="utf-8") as file:
            INPUTS[-1].append(json.load(file))


def belay():
    from belay import rego

    def make(text):
        query = rego.compile({"policy.rego": text}).query("data.bench.allow")
        return query.is_true
    return [make(text) for text in TEXTS]


def regorus():
    import regorus as package

    def make(text):
        engine = package.Engine()
        engine.add_policy("policy.rego", text)

        def ask(given):
            engine.set_input(given)
            return engine.eval_rule("data.bench.allow")
        return ask
    return [make(text) for text in TEXTS]


def regorus_rvm():
    import regorus as package

    def make(text):
        module = ("policy.rego", text)
        program = package.Program.compile_from_modules("{}", [module], ["data.bench.allow"])
        machine = package.Rvm()
        machine.load_program(program)
        machine.set_data_json("{}")

        def ask(given):
            machine.set_input_json(json.dumps(given))
            return json.loads(machine.execute())
        return ask
    return [make(text) for text in TEXTS]


CEDAR = """
permit(principal, action, resource) when {
  principal.active && principal.roles.contains("admin") };
permit(principal, action in [Action::"read", Action::"write"], resource) when {
  principal.active && principal.roles.contains("editor") };
permit(principal, action == Action::"read", resource) when {
  principal.active && principal.roles.contains("viewer") };
permit(principal, action, resource) when { resource.owner == principal.name };
"""


def cedar():
    """The first policy alone, said in Cedar."""
    import cedarpy
    policies = cedarpy.PolicySet.from_str(CEDAR) if hasattr(
        cedarpy.PolicySet, "from_str") else CEDAR

    def ask(given):
        user, thing = given["user"], given["resource"]
        answer = cedarpy.is_authorized(
            {"principal": f'User::"{user["name"]}"', "action": f'Action::"{given["action"]}"',
             "resource": f'Thing::"{thing["name"]}"', "context": {}}, policies,
            [{"uid": {"__entity": {"type": "User", "id": user["name"]}}, "parents": [],
              "attrs": user},
             {"uid": {"__entity": {"type": "Thing", "id": thing["name"]}}, "parents": [],
              "attrs": thing}])
        return answer.allowed
    return [ask]


def main():
    started = time.perf_counter_ns()
    asks = {"belay": belay, "regorus": regorus, "regorus_rvm": regorus_rvm,
            "cedar": cedar}[ENGINE]()
    answers = [[bool(ask(given)) for given in INPUTS[i]] for i, ask in enumerate(asks)]
    start_ns = time.perf_counter_ns() - started
    clock, times = time.perf_counter_ns, []
    for _ in range(ROUNDS):
        for i, ask in enumerate(asks):
            for given in INPUTS[i]:
                before = clock()
                ask(given)
                times.append(clock() - before)
    times.sort()
    print(json.dumps({"answers": answers, "start_ns": start_ns, "times": [
        times[len(times) // 2], times[len(times) * 99 // 100]]}))


main()
