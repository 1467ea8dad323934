import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/objects.ts";
import { plainProblem } from "../../base/plain-problem.ts";
import type { FactScope } from "../../db/agent/facts/facts.ts";
import type { Scope } from "../../settings/access.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { readAsMeant } from "./read-as-meant.ts";
import { readPhrases } from "./read-phrases.ts";

/**
 * Properties of a tool that a client may rely on before it asks its user, in the terms of the Model
 * Context Protocol.
 */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
}

/**
 * A tool for models. Its HTTP route, its entry in the MCP server and its definition for each
 * provider's API are derived from this one definition. Models read the names and descriptions of
 * the tool and its fields.
 */
export interface MemoryTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tool is offered only to callers with this scope; `run` enforces it. */
  readonly scope: Scope;
  readonly hints: ToolHints;
  /** The schemas of the HTTP route's input and answer. */
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /**
   * The part of `input` that a model is offered. It is all of `input`, unless some fields are for
   * people and programs only.
   */
  readonly offered: z.ZodObject;
  /** The arguments of a usual call, with every argument that is required. */
  readonly example: Readonly<Record<string, unknown>>;
  /**
   * A sentence of the prompt section on when to use the tool; absent if the section's own text says
   * it.
   */
  readonly whenToUse?: string;
  /**
   * The empty result that the tool returns with the notice that memory cannot be searched; absent
   * if the tool fails instead.
   */
  readonly nothing?: object;
  /**
   * Returns the scope for a call without `scope`, if the call's other fields determine one, and a note
   * for the model that says so. `input` is as the model meant it, before the schema's check.
   *
   * @param user the user for whom the tool writes by default; undefined: everybody
   */
  impliedScope?(
    deps: Deps,
    caller: Caller,
    agentId: string,
    input: object,
    user: string | undefined,
  ): Promise<{ scope: FactScope; note: string } | undefined>;
  /** The use case. Its `input` has been parsed by the schema `input` above. */
  run(deps: Deps, caller: Caller, agentId: string, input: unknown): Promise<object>;
}

/** Defines a tool with the type of its input, for the table in tool-table.ts. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<MemoryTool, "input" | "offered" | "run"> & {
    input: Input;
    offered?: MemoryTool["offered"];
    run(deps: Deps, caller: Caller, agentId: string, input: z.output<Input>): Promise<object>;
  },
): Omit<MemoryTool, "input"> & { readonly input: Input } {
  const { input, run } = tool;
  const via = `tool:${tool.name}`;
  const runAsTool: MemoryTool["run"] = (deps, caller, agentId, given) =>
    run(deps, { ...caller, via }, agentId, given as z.output<Input>);
  return { ...tool, offered: tool.offered ?? input, run: runAsTool };
}

/**
 * Carries out a model's call of a tool. The input is read as it was meant, and the answer has a note
 * on it where that matters.
 *
 * @param options.scope the user for whom a tool writes unless the call names or implies another
 * @throws AppError `invalid_request`, naming the fields, and the errors of the use case
 */
export async function callTool(
  tool: MemoryTool,
  deps: Deps,
  caller: Caller,
  agentId: string,
  given: unknown,
  { scope }: { scope?: { user: string } | undefined } = {},
): Promise<object> {
  let meant = readAsMeant(tool.input, given);
  if (meant.phrases.length > 0) {
    const known = await readPhrases(deps, caller, { id: agentId, scope: tool.scope }, meant.input, meant.phrases);
    meant = readAsMeant(tool.input, given, known);
  }
  const notes = [...meant.notes];
  let input = meant.input;
  if (isObject(input) && input.scope === undefined && writes(tool)) {
    const implied = await tool.impliedScope?.(deps, caller, agentId, input, scope?.user);
    if (implied) notes.push(implied.note);
    const its = implied?.scope ?? scope;
    if (its) input = { ...input, scope: its };
  }
  const output = await tool.run(deps, caller, agentId, parseToolInput(tool, input));
  const { note } = output as { note?: string };
  return notes.length === 0 ? output : { ...output, note: [...notes, note].filter(Boolean).join(" ") };
}

/** Returns whether a tool writes for somebody, whom a scope names. */
function writes(tool: MemoryTool): boolean {
  return tool.scope === "agent:write" && Object.hasOwn(tool.input.shape, "scope");
}

/**
 * Parses a request's input for the tool.
 *
 * @throws AppError `invalid_request`, naming the fields
 */
function parseToolInput(tool: MemoryTool, input: unknown): unknown {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues, tool.example);
}

/** Matches the problems of an argument that an example helps with. */
const MISSING = /^(?:is missing|must be an object)/;
const SCOPE: Readonly<Record<string, unknown>> = { scope: { user: "petra" } };

/**
 * Returns the error for a request that does not fit its schema.
 *
 * @param example the arguments of a usual call; the error quotes the argument that is missing or should be an object
 */
export function invalidRequest(
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  example: Readonly<Record<string, unknown>> = {},
): AppError {
  const problemOf = ({ path: [name = "", ...rest], message }: (typeof issues)[number]) => {
    const problem = plainProblem(message);
    const value = MISSING.test(problem) && rest.length === 0 ? { ...SCOPE, ...example }[String(name)] : undefined;
    return value === undefined ? problem : `${problem}, for example ${JSON.stringify({ [name]: value })}`;
  };
  const problems = issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join(".") || "request"}: ${problemOf(issue)}`.slice(0, 300));
  return new AppError("invalid_request", `The request is not valid. ${problems.join("; ").replace(/(?<![.?])$/, ".")}`);
}
