import type { GenerateContentRequest, ResponseSchema } from "@google/generative-ai";
import { AppError } from "../base/errors.ts";
import { geminiModelPath } from "../base/gemini-model.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import { type ChatModel, endedEarly, failedModelRequest, type ModelEndpoint } from "./chat-model.ts";

const BASE_URL = "https://generativelanguage.googleapis.com";

/**
 * The fields of a `models.generateContent` answer that are read. Every field may be missing or have
 * another type.
 */
interface Answer {
  promptFeedback?: { blockReason?: unknown };
  candidates?: ({ finishReason?: unknown; content?: { parts?: unknown } } | null)[];
}

/**
 * The finish reasons with which an answer is not used, even if it has text (ai.google.dev,
 * `FinishReason`).
 */
const BLOCKED = new Set(["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"]);

/**
 * Creates a chat model that calls the Gemini API, `models.generateContent`. Only the types come
 * from Google's own package: its client follows redirects and would send the key in a header along
 * with them.
 */
export function createGeminiChat({ model, apiKey, baseUrl, provider }: ModelEndpoint): ChatModel {
  const origin = (baseUrl ?? BASE_URL).replace(/\/(v1|v1beta)?\/*$/, "");
  const path = geminiModelPath(model);
  return {
    provider,
    model,
    complete: async ({ system, user, maxTokens }, signal, schema) => {
      const json = schema
        ? { responseMimeType: "application/json", responseSchema: simplified(schema) as ResponseSchema }
        : {};
      const body: GenerateContentRequest = {
        systemInstruction: { role: "system", parts: [{ text: system }] },
        contents: [{ role: "user", parts: [{ text: user }] }],
        generationConfig: { maxOutputTokens: maxTokens, ...json },
      };
      let status: number | undefined;
      try {
        const response = await providerFetch(`${origin}/v1beta/${path}:generateContent`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-goog-api-key": apiKey ?? "" },
          body: JSON.stringify(body),
          signal,
        });
        status = response.ok ? undefined : response.status;
        if (response.ok) return textOf((await response.json()) as Answer | null);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
      }
      throw failedModelRequest("chat model", status);
    },
  };
}

/**
 * Returns the text of an answer.
 *
 * @throws AppError when the model was stopped before it had answered
 */
function textOf(answer: Answer | null): string {
  const candidate = answer?.candidates?.[0];
  const parts: unknown[] = Array.isArray(candidate?.content?.parts) ? candidate.content.parts : [];
  const text = parts.map((part) => (part as { text?: unknown } | null)?.text ?? "").join("");
  const end = candidate?.finishReason;
  const isBlocked = candidate ? BLOCKED.has(String(end)) : answer?.promptFeedback?.blockReason !== undefined;
  if (isBlocked || (text.trim() === "" && end !== undefined && end !== "STOP")) throw endedEarly();
  return text;
}

/**
 * The keywords of JSON Schema that Gemini supports. It refuses the others (ai.google.dev,
 * "Structured output").
 */
const KNOWN = new Set([
  "type",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "nullable",
  "minItems",
  "maxItems",
]);

function simplified(schema: unknown): unknown {
  const simplify = (value: unknown, isNames: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => simplify(item, false));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => isNames || KNOWN.has(key))
        .map(([key, child]) => [key, simplify(child, !isNames && key === "properties")]),
    );
  };
  return simplify(schema, false);
}
