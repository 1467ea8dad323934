/**
 * An agent that searches its memory before it answers. The loop uses the openai package and works
 * with any server that has OpenAI's chat completions API (OpenAI, Ollama, LM Studio, vLLM,
 * llama.cpp).
 *
 *   npm start                                      # in another terminal: Recollect with the example workspace
 *   export OPENAI_API_KEY=…                        # or, for a model on this machine:
 *   export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=none MODEL=qwen3
 *   node examples/agent-loop.ts "why did we move the billing job off cron?"
 *
 * RECOLLECT_URL, RECOLLECT_API_KEY and RECOLLECT_AGENT select another server, its key and another
 * agent.
 */
import OpenAI from "openai";
import { createClient } from "recollect/client";

const { RECOLLECT_URL: url = "http://127.0.0.1:7420", RECOLLECT_API_KEY: key, RECOLLECT_AGENT = "main" } = process.env;
const MODEL = process.env.MODEL ?? "gpt-5-mini";
/** Stops a model that calls tools without end. */
const MAX_ROUNDS = 10;

const memory = createClient({ url, key }).agent(RECOLLECT_AGENT);

/**
 * Returns the memory's tools and a section for the prompt. Without the service, this example is a
 * plain chat.
 */
async function offered(): Promise<{ tools: OpenAI.ChatCompletionTool[]; prompt: string }> {
  try {
    const { tools, prompt } = await memory.tools("openai");
    return { tools: tools as unknown as OpenAI.ChatCompletionTool[], prompt };
  } catch (error) {
    console.error(`No memory: ${error}`);
    return { tools: [], prompt: "" };
  }
}

/**
 * Carries out a tool call. An error is returned as an answer, because its text tells the model what
 * to do.
 */
async function call(name: string, input: string): Promise<unknown> {
  try {
    return await memory.callTool(name, JSON.parse(input));
  } catch (error) {
    return { error: String(error) };
  }
}

/** Asks the model, carries out its tool calls, and returns its final answer. */
async function answer(question: string): Promise<string> {
  const openai = new OpenAI();
  // Both are also empty when the agent's memory is disabled.
  const { tools, prompt } = await offered();
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: `You are a helpful assistant.\n\n${prompt}` },
    { role: "user", content: question },
  ];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const completion = await openai.chat.completions.create({
      model: MODEL,
      messages,
      ...(tools.length > 0 && { tools }),
    });
    const message = completion.choices[0]?.message;
    if (!message) throw new Error("The model gave no answer.");
    messages.push(message);
    if (!message.tool_calls?.length) return message.content ?? "";
    for (const made of message.tool_calls) {
      if (made.type !== "function") continue;
      console.error(`→ ${made.function.name} ${made.function.arguments}`);
      const result = await call(made.function.name, made.function.arguments);
      messages.push({ role: "tool", tool_call_id: made.id, content: JSON.stringify(result) });
    }
  }
  return "The model did not reach an answer.";
}

const question = process.argv.slice(2).join(" ") || "why did we move the billing job off cron?";
console.log(await answer(question));
