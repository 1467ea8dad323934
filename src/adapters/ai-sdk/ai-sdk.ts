import { dynamicTool, jsonSchema, type LanguageModelMiddleware, type ToolSet } from "ai";
import { type AdapterOptions, type Said, said } from "../shared/adapter-options.ts";
import { modelTools } from "../shared/model-tools.ts";
import { openMemory } from "../shared/open-memory.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

export interface RecollectMiddlewareOptions extends AdapterOptions {
  /**
   * The conversation. All of its words become part of the memory. Without a session, only the facts
   * that users state are stored. Create a new middleware for each conversation; it costs nothing.
   */
  session?: string | undefined;
}

type Transform = NonNullable<LanguageModelMiddleware["transformParams"]>;
type Params = Parameters<Transform>[0]["params"];
type Prompt = Params["prompt"];
type UserMessage = Extract<Prompt[number], { role: "user" }>;

/**
 * Creates middleware for `wrapLanguageModel`. Before each call of the model, it adds the recalled
 * memory for the user's last message to the prompt. After the call, it stores what user and model
 * said. A failure of the memory never fails a turn; `onTrouble` is called instead.
 */
export function recollectMiddleware(options: RecollectMiddlewareOptions): LanguageModelMiddleware {
  const memory = openMemory(options);
  // The prompts as the application wrote them, so that recalled text is not stored as if the user
  // had said it.
  const written = new WeakMap<Params, Prompt>();
  const remember = (params: Params, answer: string) =>
    memory.remember(options.session, wordsOf(written.get(params) ?? params.prompt, answer));
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const asked = params.prompt.findLastIndex(({ role }) => role === "user");
      const message = params.prompt[asked];
      if (message?.role !== "user") return params;
      const block = await memory.recall(textOf(message.content));
      if (block === "") return params;
      const recalled: UserMessage = { ...message, content: [{ type: "text", text: block }, ...message.content] };
      const transformed = { ...params, prompt: params.prompt.with(asked, recalled) };
      written.set(transformed, params.prompt);
      return transformed;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await remember(params, textOf(result.content));
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      let answer = "";
      const listener = new TransformStream<StreamPart, StreamPart>({
        transform: (part, controller) => {
          if (part.type === "text-delta") answer += part.delta;
          controller.enqueue(part);
        },
        flush: () => remember(params, answer),
        // The user asked the question even if the answer was cancelled.
        cancel: () => remember(params, answer),
      });
      return { ...rest, stream: stream.pipeThrough(listener) };
    },
  };
}

type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>["stream"];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/**
 * Returns the memory's tools for `generateText`, `streamText` and agents, and the section of the
 * system prompt that says when to use them. Both are empty in an outage.
 */
export async function recollectTools(options: AdapterOptions): Promise<{ tools: ToolSet; prompt: string }> {
  const { tools, prompt } = await modelTools(options);
  const entries = tools.map(({ name, description, inputSchema, call }) => [
    name,
    dynamicTool({ description, inputSchema: jsonSchema(inputSchema as object), execute: call }),
  ]);
  return { tools: Object.fromEntries(entries) as ToolSet, prompt };
}

/**
 * Returns the messages that are new since the last call of the model. In later steps of a turn,
 * only the model's answer is new.
 */
function wordsOf(prompt: Prompt, answer: string): Said[] {
  const last = prompt.at(-1);
  const question = last?.role === "user" ? [said("user", textOf(last.content))] : [];
  return [...question, said("assistant", answer)];
}

function textOf(parts: readonly { type: string; text?: unknown }[]): string {
  return parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n\n");
}
