import type { AgentClient } from "../../client/client.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { openMemory, TIMEOUT_MS } from "./open-memory.ts";
import { isOutage, reasonOf } from "./outage.ts";
import { unlessAbsent } from "./read-messages.ts";

/** A tool for a model, independent of any framework. */
export interface ModelTool {
  name: string;
  description: string;
  /** A JSON schema of type `object`. */
  inputSchema: { type: "object"; properties?: Record<string, unknown>; required?: string[] };
  /**
   * Carries out a call. An error is returned as an answer, because its text tells the model what to
   * do. Never rejects.
   */
  call(input: unknown): Promise<unknown>;
}

const NONE: { tools?: Record<string, unknown>[]; prompt?: string } = {};
/** The answer in an outage. The prompt section tells models how to respond to `disabled`. */
const UNREACHABLE = {
  disabled: true,
  warning: "The memory cannot be reached just now.",
  action: "Answer without it. Ask again later.",
} as const;

/**
 * Returns the tools that the client's key may call, as the service defines them, and the prompt
 * section about them. A server of an older release refuses an agent that does not exist yet, which is
 * created then. Both results are empty when the agent's memory is switched off, and in an outage,
 * which is reported.
 */
export async function modelTools(options: AdapterOptions): Promise<{ tools: ModelTool[]; prompt: string }> {
  const memory = openMemory(options);
  const ask = async (client: AgentClient): Promise<typeof NONE> => {
    const offered = await unlessAbsent(client.tools("mcp"));
    if (offered) return offered;
    await makeAgent(options);
    return client.tools("mcp");
  };
  const { tools = [], prompt = "" } = await memory.attempt("tools", ask, NONE);
  const call = async (name: string, input: unknown): Promise<unknown> => {
    try {
      return await memory.client().callTool(name, input);
    } catch (error) {
      if (!isOutage(error)) return { error: reasonOf(error) };
      memory.report({ step: "tools", message: `${name} could not be carried out. ${reasonOf(error)}`, error });
      return UNREACHABLE;
    }
  };
  const defined = tools as unknown as Omit<ModelTool, "call">[];
  return {
    tools: defined.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: memory.scope ? withoutScope(inputSchema) : inputSchema,
      call: (input) => call(name, memory.scope ? withScope(input, inputSchema, memory.scope) : input),
    })),
    prompt,
  };
}

/** Removes the scope from the schema, because a model could name another user in it. */
function withoutScope(schema: ModelTool["inputSchema"]): ModelTool["inputSchema"] {
  const { scope: _, ...properties } = schema.properties ?? {};
  return schema.properties ? { ...schema, properties } : schema;
}

/**
 * Adds the speaker's scope to the input if the tool takes a scope. It replaces a scope that the model
 * has named, in any letter case: the service prefers the exact name.
 */
function withScope(input: unknown, { properties }: ModelTool["inputSchema"], scope: object): unknown {
  const isObject = typeof input === "object" && input !== null;
  if (!isObject || properties?.scope === undefined) return input;
  return { ...input, scope };
}

/**
 * Creates the agent. The first message of a conversation would create it too, but only after the
 * model has received its tools.
 */
async function makeAgent({ client, agent, timeoutMs = TIMEOUT_MS }: AdapterOptions): Promise<void> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    await client.request("POST", "/v1/agents", { body: { id: agent }, repeat: "by key", signal });
  } catch (error) {
    // Another caller created the agent at the same time.
    if ((error as { code?: unknown }).code !== "agent_exists") throw error;
  }
}
