import type { z } from "zod";
import type { Scope } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** What a client may assume of a tool before it asks its user, in the terms of the Model Context Protocol. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
}

/**
 * A tool for models, defined once. Its HTTP route, the MCP server and the definitions for each provider's API are made of
 * it. The model reads names and descriptions.
 */
export interface MemoryTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope with which the tool is offered; `run` enforces it. */
  readonly scope: Scope;
  readonly hints: ToolHints;
  /** What the HTTP route takes and answers. */
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  /** The input that a model is offered; all of `input`, unless some of it is for people and programs only. */
  readonly offered: z.ZodObject;
  /** A sentence of the prompt section on when to use the tool; absent where the section's own text says it. */
  readonly whenToUse?: string;
  /** What it answers, beside what says so, when memory cannot be searched; absent where that is an error. */
  readonly nothing?: object;
  /** The use case. `input` is what `input` above made of the request. */
  run(deps: Deps, caller: Caller, agentId: string, input: unknown): Promise<object>;
}

/** A tool with the type of its input, for the table in tool-table.ts. */
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

/** A request's input as the tool takes it. @throws AppError `invalid_request`, naming the fields */
export function parseToolInput(tool: MemoryTool, input: unknown): unknown {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues);
}

/** The error for a request that does not fit its schema. */
export function invalidRequest(issues: readonly { path: readonly PropertyKey[]; message: string }[]): AppError {
  const problems = issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join(".") || "request"}: ${issue.message}`.slice(0, 300));
  return new AppError("invalid_request", `The request is not valid. ${problems.join("; ")}.`);
}
