import { dynamicTool, jsonSchema, type LanguageModelMiddleware, type ToolSet } from "ai";
import { type AdapterOptions, type Said, said } from "../shared/adapter-options.ts";
import { modelTools } from "../shared/model-tools.ts";
import { openMemory } from "../shared/open-memory.ts";

export type { AdapterOptions, MemoryTrouble } from "../shared/adapter-options.ts";

export interface RecollectMiddlewareOptions extends AdapterOptions {
  /**
   * The conversation, which becomes part of the memory word by word. Without one only the facts that users state are kept. Make the
   * middleware anew for each conversation; it costs nothing.
   */
  session?: string | undefined;
}

type Transform = NonNullable<LanguageModelMiddleware["transformParams"]>;
type Params = Parameters<Transform>[0]["params"];
type Prompt = Params["prompt"];
type UserMessage = Extract<Prompt[number], { role: "user" }>;

/**
 * Middleware for `wrapLanguageModel`: before each call of the model it puts what the user's last message recalls into the prompt, and
 * after the call it stores what user and model said. A turn never fails for want of memory; `onTrouble` is told instead.
 */
export function recollectMiddleware(options: RecollectMiddlewareOptions): LanguageModelMiddleware {
  const memory = openMemory(options);
  // The prompts as the application wrote them: what was recalled is not said anew.
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
        // Who stops an answer has asked all the same.
        cancel: () => remember(params, answer),
      });
      return { ...rest, stream: stream.pipeThrough(listener) };
    },
  };
}

type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>["stream"];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;

/**
 * The tools of the memory for `generateText`, `streamText` and agents, and the section of the system prompt that says when to use
 * them. Both are empty in an outage.
 */
export async function recollectTools(options: AdapterOptions): Promise<{ tools: ToolSet; prompt: string }> {
  const { tools, prompt } = await modelTools(options);
  const entries = tools.map(({ name, description, inputSchema, call }) => [
    name,
    dynamicTool({ description, inputSchema: jsonSchema(inputSchema as object), execute: call }),
  ]);
  return { tools: Object.fromEntries(entries) as ToolSet, prompt };
}

/** What is new since the model was last called. In the further steps of a turn that is its answer alone. */
function wordsOf(prompt: Prompt, answer: string): Said[] {
  const last = prompt.at(-1);
  const question = last?.role === "user" ? [said("user", textOf(last.content))] : [];
  return [...question, said("assistant", answer)];
}

function textOf(parts: readonly { type: string; text?: unknown }[]): string {
  return parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n\n");
}
