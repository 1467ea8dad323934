/**
 * An agent that remembers, with OpenAI's Agents SDK. All runs are one conversation; with tools it searches all others too:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/openai-agents.ts "My name is Petra and I live in Oslo."
 *   node examples/openai-agents.ts "Where do I live?"
 *
 * It needs no key: the model is a stand-in, which searches its memory for the message and then repeats what it found. Without
 * `model` the agent uses OpenAI's.
 */
import { Agent, type Model, type ModelResponse, Runner, Usage } from "@openai/agents";
import { createClient } from "recollect/client";
import { RecollectSession, recollectTools } from "recollect/openai-agents";

const { RECOLLECT_URL: url = "http://127.0.0.1:7420", RECOLLECT_API_KEY: key } = process.env;
const message = process.argv.slice(2).join(" ") || "My name is Petra and I live in Oslo.";

const says = (text: string): ModelResponse["output"] => [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] },
];
const standIn: Model = {
  getResponse: async ({ input }) => {
    const result = typeof input === "string" ? undefined : input.find(({ type }) => type === "function_call_result");
    const call = { type: "function_call" as const, callId: "1", name: "memory_search", status: "completed" as const };
    const search = { ...call, arguments: JSON.stringify({ query: message, maxResults: 1 }) };
    return { usage: new Usage(), output: result ? says(JSON.stringify(result)) : [search] };
  },
  // biome-ignore lint/correctness/useYield: this stand-in does not stream.
  async *getStreamedResponse() {
    throw new Error("This stand-in does not stream.");
  },
};

// A demonstration waits for the memory on a busy machine too; by default a turn goes on without it after five seconds.
const memory = { client: createClient({ url, key }), agent: "petra", timeoutMs: 60_000 };
const { tools, prompt } = await recollectTools(memory);
const agent = new Agent({ name: "Assistant", instructions: `Be brief.\n\n${prompt}`, tools, model: standIn });
const session = new RecollectSession({ ...memory, session: "my-chat" });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, message, { session });
console.log(finalOutput);
