/**
 * An agent that searches its memory before it answers. The loop uses the openai package and works with any server that has
 * OpenAI's chat completions API (OpenAI, Ollama, LM Studio, vLLM, llama.cpp).
 *
 *   npm start                                      # in another terminal: Recollect with the example workspace
 *   export OPENAI_API_KEY=…                        # or, for a model on this machine:
 *   export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=none MODEL=qwen3
 *   node examples/agent-loop.ts "why did we move the billing job off cron?"
 *
 * RECOLLECT_URL, RECOLLECT_API_KEY and RECOLLECT_AGENT select another server, its key and another agent.
 */
import OpenAI from "openai";

const { RECOLLECT_URL = "http://127.0.0.1:7420", RECOLLECT_API_KEY, RECOLLECT_AGENT = "main" } = process.env;
const MODEL = process.env.MODEL ?? "gpt-5-mini";
/** Stops a model that calls tools without end. */
const MAX_ROUNDS = 10;

/** Sends one request to the agent's memory. Errors are returned too: their text tells the model what to do. */
async function recollect(path: string, body?: string): Promise<unknown> {
  const response = await fetch(`${RECOLLECT_URL}/v1/agents/${RECOLLECT_AGENT}/${path}`, {
    headers: {
      "content-type": "application/json",
      ...(RECOLLECT_API_KEY && { authorization: `Bearer ${RECOLLECT_API_KEY}` }),
    },
    ...(body !== undefined && { method: "POST", body }),
  });
  return response.json();
}

/** Asks the model, carries out its tool calls, and returns its final answer. */
async function answer(question: string): Promise<string> {
  const openai = new OpenAI();
  // Both are empty when the agent's memory is switched off; then this is a plain chat.
  const { tools, prompt } = (await recollect("tools?format=openai")) as {
    tools: OpenAI.ChatCompletionTool[];
    prompt: string;
  };
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
    for (const call of message.tool_calls) {
      if (call.type !== "function") continue;
      console.error(`→ ${call.function.name} ${call.function.arguments}`);
      const result = await recollect(`tools/${call.function.name}`, call.function.arguments);
      messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(result) });
    }
  }
  return "The model did not reach an answer.";
}

const question = process.argv.slice(2).join(" ") || "why did we move the billing job off cron?";
console.log(await answer(question));
