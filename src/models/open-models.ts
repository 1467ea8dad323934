import { LRUCache } from "lru-cache";
import { AppError } from "../base/errors.ts";
import { createFairLane, type FairLane } from "../base/fair-lane.ts";
import { type BuiltinModels, openBuiltinRerankers } from "./builtin-reranker.ts";
import type { ChatModel, ModelEndpoint } from "./chat-model.ts";
import { createChatReranker } from "./chat-reranker.ts";
import { createEndpointReranker } from "./endpoint-reranker.ts";
import { createGeminiChat } from "./gemini-chat.ts";
import { createModelGuard, guardChat, guardReranker, type ModelGuard, type ModelPlace } from "./model-guard.ts";
import { createOpenAiChat } from "./openai-chat.ts";
import type { Reranker } from "./reranker.ts";

/**
 * The models that the operator has configured. The operator sets addresses and keys; tenants'
 * settings choose a model's name.
 */
interface ModelsConfig {
  readonly chat: {
    provider: "openai" | "gemini" | "openai-compatible" | undefined;
    model: string | undefined;
    baseUrl: string | undefined;
    apiKey: string | undefined;
  };
  readonly rerank: {
    baseUrl: string | undefined;
    /** The keys by provider: `cohere`, `voyage`, `cohere-compatible`. */
    keys: Readonly<Record<string, string | undefined>>;
  };
  /** The most requests of this process at once, to the chat provider and to each rerank server. */
  readonly concurrency: number;
}

const DEFAULT_CHAT_MODELS = { openai: "gpt-4.1-mini", gemini: "gemini-2.5-flash", "openai-compatible": undefined };
/** The reranker model when the settings name only its provider. */
export const DEFAULT_RERANK_MODELS: Readonly<Record<string, string>> = { cohere: "rerank-v3.5", voyage: "rerank-2.5" };

/** The chat models and rerankers of this process. */
export interface Models {
  /** @throws AppError `config_invalid` when the operator has configured no chat model */
  chat(model: string | undefined): ChatModel;
  /**
   * @throws AppError `config_invalid` when the provider has no key or address, or when the settings
   *   must name a model
   */
  reranker(provider: string, model: string | undefined): Reranker;
  /** Closes the models that run in this process. */
  close(): Promise<void>;
}

/** The most breakers that are kept. Tenants choose models, and each model has a breaker. */
const MAX_MODELS = 1000;

/**
 * Opens the models. An adapter of a server is light and holds no connection, so each call creates
 * one. Breakers, lanes and models that run in this process are kept.
 */
export function openModels({ chat, rerank, concurrency }: ModelsConfig, builtin: BuiltinModels): Models {
  const rerankers = openBuiltinRerankers(builtin);
  const guards = new LRUCache<string, ModelGuard>({ max: MAX_MODELS });
  const lanes = new Map<string, FairLane>();
  /**
   * Returns the breaker of a model and the lane of its server. A failing model does not block other
   * models of the server; only the lane is shared.
   */
  const placeOf = (server: string, model: string, limit = concurrency): ModelPlace => {
    const key = `${server} ${model}`;
    const guard = guards.get(key) ?? createModelGuard();
    guards.set(key, guard);
    const lane = lanes.get(server) ?? createFairLane(limit);
    lanes.set(server, lane);
    return { guard, lane };
  };
  const openChat = (model: string | undefined): ChatModel => {
    const { provider } = chat;
    if (provider === undefined)
      throw new AppError("config_invalid", "No chat model is configured on this server: set RECOLLECT_CHAT_PROVIDER.");
    const name = model ?? chat.model ?? DEFAULT_CHAT_MODELS[provider];
    if (name === undefined)
      throw new AppError("config_invalid", "The chat model has no name: set RECOLLECT_CHAT_MODEL.");
    const endpoint: ModelEndpoint = { ...chat, provider, model: name };
    const opened = provider === "gemini" ? createGeminiChat(endpoint) : createOpenAiChat(endpoint);
    return guardChat(opened, placeOf("chat", name));
  };
  return {
    chat: openChat,
    reranker: (provider, model) => {
      if (provider === "chat") return createChatReranker(openChat(model));
      const name = model ?? DEFAULT_RERANK_MODELS[provider];
      if (name === undefined)
        throw new AppError("config_invalid", "The reranker has no model: set query.rerank.model.");
      // The model's thread grades one passage after the other, so one request at a time.
      if (provider === "builtin") return guardReranker(rerankers.get(name), placeOf(`builtin ${name}`, name, 1));
      const apiKey = rerank.keys[provider];
      if (provider !== "cohere-compatible" && apiKey === undefined)
        throw new AppError("config_invalid", `No key for ${provider} is set up on this server.`);
      const baseUrl = provider === "cohere-compatible" ? rerank.baseUrl : undefined;
      return guardReranker(createEndpointReranker({ provider, model: name, apiKey, baseUrl }), placeOf(provider, name));
    },
    close: () => rerankers.close(),
  };
}
