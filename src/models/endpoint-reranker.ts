import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import { failedModelRequest, type ModelEndpoint } from "./chat-model.ts";
import type { Reranker } from "./reranker.ts";

const DEFAULT_BASE_URLS: Readonly<Record<string, string>> = {
  cohere: "https://api.cohere.com/v2",
  voyage: "https://api.voyageai.com/v1",
};
const MAX_ANSWER_BYTES = 2_000_000;

const scores = z.array(z.object({ index: z.int().min(0), relevance_score: z.number() }));
/** The answer's list is `results` at Cohere, Jina, vLLM and LiteLLM, and `data` at Voyage. */
const answer = z.union([
  z.object({ results: scores }),
  z.object({ data: scores }).transform(({ data }) => ({ results: data })),
]);

/**
 * Creates a reranker that calls a server with Cohere's `POST /rerank` (docs.cohere.com, "Rerank API
 * v2").
 *
 * @throws AppError `config_invalid` without an address
 */
export function createEndpointReranker(endpoint: ModelEndpoint): Reranker {
  const { provider, model, apiKey } = endpoint;
  const baseUrl = endpoint.baseUrl ?? DEFAULT_BASE_URLS[provider];
  if (baseUrl === undefined)
    throw new AppError("config_invalid", "The rerank server has no address: set RECOLLECT_RERANK_BASE_URL.");
  return {
    provider,
    model,
    rerank: async (query, documents, signal) => {
      if (documents.length === 0) return [];
      const body = await post(`${baseUrl.replace(/\/+$/, "")}/rerank`, apiKey, { model, query, documents }, signal);
      const parsed = answer.safeParse(body);
      if (!parsed.success) throw unreadable();
      return inOrder(parsed.data.results, documents.length);
    },
  };
}

async function post(url: string, apiKey: string | undefined, body: object, signal: AbortSignal): Promise<unknown> {
  let status: number | undefined;
  try {
    const response = await providerFetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
    status = response.ok ? undefined : response.status;
    const text = response.ok ? await readText(response) : "";
    if (response.ok) return JSON.parse(text) as unknown;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw unreadable();
    if (error instanceof AppError) throw error;
  }
  throw failedModelRequest("rerank server", status);
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw unreadable();
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/**
 * Returns the scores in the order of the texts. A text that the server left out, as a server with
 * its own `top_n` does, is less relevant than all others and gets 0.
 */
function inOrder(results: readonly { index: number; relevance_score: number }[], count: number): number[] {
  const byIndex = new Map(results.map((result) => [result.index, result.relevance_score]));
  if (byIndex.size !== results.length || results.some(({ index }) => index >= count)) throw unreadable();
  return Array.from({ length: count }, (_, index) => Math.min(1, Math.max(0, byIndex.get(index) ?? 0)));
}

function unreadable(): AppError {
  return failedModelRequest("rerank server", "unreadable");
}
