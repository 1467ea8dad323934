import { geminiModelPath } from "../base/gemini-model.ts";
import { type GeminiAccess, type GeminiPrompt, type GeminiSchema, generateByGemini } from "../base/gemini-sdk.ts";
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

/** Creates a chat model that calls the Gemini API, `models.generateContent`. */
export function createGeminiChat({ model, apiKey, baseUrl, provider }: ModelEndpoint): ChatModel {
  const access: GeminiAccess = {
    model: geminiModelPath(model),
    apiKey: apiKey ?? "",
    baseUrl: (baseUrl ?? BASE_URL).replace(/\/(v1|v1beta)?\/*$/, ""),
    version: "v1beta",
    fetch: providerFetch,
  };
  return {
    provider,
    model,
    complete: async ({ system, user, maxTokens }, signal, schema) => {
      const json = schema
        ? { responseMimeType: "application/json", responseSchema: simplified(schema) as GeminiSchema }
        : {};
      const prompt: GeminiPrompt = {
        systemInstruction: { role: "system", parts: [{ text: system }] },
        contents: [{ role: "user", parts: [{ text: user }] }],
        generationConfig: { maxOutputTokens: maxTokens, ...json },
      };
      const outcome = await generateByGemini(access, prompt, signal);
      if ("answer" in outcome) return textOf(outcome.answer as Answer | null);
      signal.throwIfAborted();
      const { status, unreadable } = outcome.failure;
      throw failedModelRequest("chat model", unreadable ? "unreadable" : status);
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
