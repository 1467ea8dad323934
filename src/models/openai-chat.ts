import { AppError } from "../base/errors.ts";
import { OPENAI_ISOLATION } from "../base/openai-options.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import { type ChatModel, endedEarly, failedModelRequest, type ModelEndpoint } from "./chat-model.ts";

/**
 * Creates a chat model that calls any server with OpenAI's `POST /chat/completions`.
 *
 * @param endpoint without `baseUrl`: OpenAI itself
 */
export function createOpenAiChat(endpoint: ModelEndpoint): ChatModel {
  const { model, provider } = endpoint;
  return {
    provider,
    model,
    complete: async ({ system, user, maxTokens }, signal, schema) => {
      const body = {
        model,
        messages: [
          { role: "system" as const, content: system },
          { role: "user" as const, content: user },
        ],
        // Reasoning models refuse `max_tokens`. Servers that know only `max_tokens` ignore
        // `max_completion_tokens`.
        max_completion_tokens: maxTokens,
        ...(schema ? { response_format: { type: "json_schema" as const, json_schema: { ...strict(schema) } } } : {}),
      };
      const { client, APIError } = await open(endpoint);
      try {
        const answer = await client.chat.completions.create(body, { signal });
        const { message, finish_reason: end } = answer.choices?.[0] ?? {};
        const text = message?.content ?? "";
        if (text.trim() === "" && (end === "length" || end === "content_filter" || message?.refusal))
          throw endedEarly();
        if (typeof message?.content !== "string") throw failedModelRequest("chat model", "unreadable");
        return text;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        throw failedModelRequest("chat model", error instanceof APIError ? error.status : unreadableIf(error));
      }
    },
  };
}

/** Returns `unreadable` for the error of an answer that is not JSON. */
function unreadableIf(error: unknown): "unreadable" | undefined {
  return error instanceof SyntaxError ? "unreadable" : undefined;
}

async function open({ apiKey, baseUrl }: ModelEndpoint) {
  const { OpenAI, APIError } = await import("openai");
  const client = new OpenAI({
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    maxRetries: 1,
    ...OPENAI_ISOLATION,
    fetch: providerFetch,
  });
  return { client, APIError };
}

function strict(schema: Readonly<Record<string, unknown>>) {
  return { name: "answer", strict: true, schema: { ...schema } };
}
