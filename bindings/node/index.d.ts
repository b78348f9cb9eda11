// SPDX-License-Identifier: Apache-2.0
// libbelay: hooks and policies of AI coding agents, for agents in JavaScript.
//
// What is thrown, and each promise that is rejected, means that there is no
// decision: do not do what you asked about.

export const version: string;

/** What is to be enforced.  NONE: nobody said anything, go on. */
export const Verdict: { readonly NONE: 0; readonly ALLOW: 1; readonly ASK: 2; readonly DENY: 3 };
export type Verdict = 0 | 1 | 2 | 3;

/** Flags of an engine, to be joined by |; belay.h says what each does. */
export const Flag: {
  readonly LENIENT: 1; readonly NO_PROJECT_GATE: 2; readonly TRUST_ALL: 4; readonly NO_LOG: 8;
  readonly LOG_PAYLOAD: 16; readonly NO_POLICIES: 32; readonly WITH_HOOKS: 64;
  readonly EXPLAIN: 128;
};

/** Why a call failed: the exit statuses of belay(1). */
export const Status: Readonly<Record<
  'USAGE' | 'SYNTAX' | 'INVALID' | 'NOT_FOUND' | 'EXISTS' | 'UNSUPPORTED' | 'NO_MEMORY' |
  'SYSTEM' | 'LIMIT' | 'TIMEOUT' | 'DENIED' | 'CONFIG', number>>;

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: any };

/** A finding of a compiler, with its place. */
export interface Diagnostic {
  severity: string;
  code: string;
  file: string;
  line: number;
  column: number;
  message: string;
}

export class BelayError extends Error {
  readonly status: number;
  /** Of policies that are wrong; else empty. */
  readonly diagnostics: Diagnostic[];
}

export interface EngineOptions {
  workspaces?: string[];
  plugins?: string[];
  /** Values of Flag. */
  flags?: number;
  /** 'cursor' (the default), 'cursor-2.3', 'everruns'. */
  profile?: string;
  /** belay is the hook of this agent: payloads and answers are the agent's own. */
  agent?: string;
  home?: string;
  stateDir?: string;
  systemRoot?: string;
  policyDir?: string;
  globalConfig?: string;
  agentVersion?: string;
  leastSandbox?: string;
  policyTimeoutMs?: number;
}

export interface DispatchOptions {
  /** Of the whole dispatch; 0: none. */
  timeoutMs?: number;
  /** The reply gets its explanation. */
  explain?: boolean;
}

/** The decision about one event. */
export interface Reply {
  readonly verdict: Verdict;
  /** Go on: nobody refused, and nobody has to be asked. */
  readonly isAllowed: boolean;
  readonly mustAsk: boolean;
  readonly userText: string;
  readonly modelText: string;
  readonly errorText: string;
  /** The prompt to submit next. */
  readonly followup: string | null;
  /** Of a refusal: a word for programs. */
  readonly code: string | null;
  /**
   * The input of the tool to use in place of yours; undefined: yours. For agents that take a
   * patch (factory, crush, opencode) its changed fields.
   */
  readonly updatedInput: JsonObject | undefined;
  /** The whole result: docs/formats/result.md. */
  readonly result: JsonObject;
  /** The answer in the agent's own format. */
  readonly answer: JsonObject;
  readonly explanation: JsonObject | undefined;
  readonly notices: string[];
  readonly isRecorded: boolean;
  /** With an agent: the exit status and the standard error of its hook. */
  readonly exitCode: number;
  readonly exitErrors: string | null;
}

/** Loads hooks and policies, and decides events by them. */
export class Engine {
  constructor(options?: EngineOptions);
  /**
   * Decides one event, on a thread of Node's pool.  event null: the payload's
   * hook_event_name says which.  A signal gives it up: its hooks are ended, and
   * the reply refuses.
   */
  dispatch(event: string | null, payload: JsonObject | string,
           options?: DispatchOptions & { signal?: AbortSignal }): Promise<Reply>;
  /** The same while the program waits. */
  dispatchSync(event: string | null, payload: JsonObject | string,
               options?: DispatchOptions): Reply;
  reload(): void;
  reloadIfChanged(): boolean;
  hasHook(event: string): boolean;
  addWorkspace(path: string): void;
  removeWorkspace(path: string): void;
  /** As `belay trust add`; ask the user before. */
  trust(path: string, options?: { whole?: boolean }): void;
  untrust(path: string): void;
  hooks(): JsonObject;
  log(most?: number): JsonObject[];
  explain(event: string | null, payload: JsonObject | string): JsonObject;
  /** It may not be used afterwards; dispatches that are under way end first. */
  close(): void;
}

export function profiles(): string[];
export function profile(name?: string): JsonObject;
export function validateHooks(text: string,
                              options?: { profile?: string; source?: string }): JsonObject;
export function validateOutput(event: string, output: string,
                               options?: { profile?: string }): JsonObject;

/** Rego, the policy language of the Open Policy Agent: compile once, ask often. */
export namespace rego {
  interface CompileOptions {
    data?: JsonObject;
    /** Bundles of OPA: folders, or .tar.gz files. */
    bundles?: string[];
    v0?: boolean;
    strict?: boolean;
    /** Results can be explained; evaluation is slower. */
    explainable?: boolean;
    capabilities?: string | JsonObject;
    schemas?: string | JsonObject;
  }

  interface RunOptions {
    timeoutMs?: number;
    maxSteps?: number;
    maxBytes?: number;
    /** Errors of builtins end the evaluation. */
    strictErrors?: boolean;
    explain?: boolean;
  }

  interface Result {
    isTrue: boolean;
    isDefined: boolean;
    /** Of the first statement in the first solution; undefined when it is. */
    value: any;
    solutions: { expressions: Json[]; bindings: JsonObject }[];
    explanation: any;
  }

  interface Query {
    /** Is the value true?  The quickest way to ask. */
    isTrue(input?: Json): boolean;
    run(input?: Json, options?: RunOptions): Result;
  }

  interface Policies {
    /** "data.authz.allow", or "data.a.b[x]; x > 1". */
    query(text: string): Query;
    /** These policies with other data; nothing is compiled. */
    withData(data: JsonObject): Policies;
    /** For rego.open, with the same version on the same kind of machine. */
    image(): Buffer;
  }

  function compile(modules: { [name: string]: string }, options?: CompileOptions): Policies;
  function open(image: Uint8Array): Policies;
  function format(source: string, options?: { name?: string; v0?: boolean }): string;
  function parse(source: string, options?: { name?: string; v0?: boolean }): JsonObject;
}
