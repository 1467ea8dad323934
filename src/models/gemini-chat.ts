import type { ResponseSchema } from "@google/generative-ai";
import { AppError } from "../base/errors.ts";
import { type ChatModel, endedEarly, failedModelRequest, type ModelEndpoint } from "./chat-model.ts";

/** Chat by the Gemini API, `models.generateContent`. */
export function createGeminiChat({ model, apiKey, baseUrl, provider }: ModelEndpoint): ChatModel {
  return {
    provider,
    model,
    complete: async ({ system, user, maxTokens }, signal, schema) => {
      const sdk = await import("@google/generative-ai");
      const generative = new sdk.GoogleGenerativeAI(apiKey ?? "").getGenerativeModel(
        { model, systemInstruction: system },
        baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/(v1|v1beta)?\/*$/, "") },
      );
      const json = schema ? { responseMimeType: "application/json", responseSchema: simplified(schema) } : {};
      try {
        const { response } = await generative.generateContent(
          {
            contents: [{ role: "user", parts: [{ text: user }] }],
            generationConfig: { maxOutputTokens: maxTokens, ...json },
          },
          { signal },
        );
        const text = response.text();
        const end: string | undefined = response.candidates?.[0]?.finishReason;
        if (text.trim() === "" && end !== undefined && end !== "STOP") throw endedEarly();
        return text;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        // The SDK's error for a blocked prompt or answer.
        if (error instanceof sdk.GoogleGenerativeAIResponseError) throw endedEarly();
        throw failedModelRequest(
          "chat model",
          error instanceof sdk.GoogleGenerativeAIFetchError ? error.status : undefined,
        );
      }
    },
  };
}

/** Gemini supports a part of JSON Schema and refuses the rest (ai.google.dev, "Structured output"). */
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

function simplified(schema: unknown): ResponseSchema {
  const simplify = (value: unknown, isNames: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => simplify(item, false));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => isNames || KNOWN.has(key))
        .map(([key, child]) => [key, simplify(child, !isNames && key === "properties")]),
    );
  };
  return simplify(schema, false) as ResponseSchema;
}
