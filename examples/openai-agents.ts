/**
 * An agent that remembers, with OpenAI's Agents SDK. All runs belong to one conversation. With the
 * tools, the agent also searches all other conversations:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/openai-agents.ts "My name is Petra and I live in Oslo."
 *   node examples/openai-agents.ts "Where do I live?"
 *
 * The example needs no key: the model is a mock that searches its memory for the message and then
 * repeats the result. Without `model`, the agent uses OpenAI's model.
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

// By default, a turn continues without the memory after five seconds. This example waits longer,
// because the machine may be busy.
const memory = { client: createClient({ url, key }), agent: "petra", timeoutMs: 60_000 };
const { tools, prompt } = await recollectTools(memory);
const agent = new Agent({ name: "Assistant", instructions: `Be brief.\n\n${prompt}`, tools, model: standIn });
const session = new RecollectSession({ ...memory, session: "my-chat" });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, message, { session });
console.log(finalOutput);
