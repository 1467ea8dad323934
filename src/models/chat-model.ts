import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { isRedirect } from "../observe/provider-fetch.ts";

/** One question to a chat model. Text of users and files belongs into `user`, never into `system`. */
export interface ChatPrompt {
  system: string;
  user: string;
  maxTokens: number;
}

/** A model that answers a text with a text. */
export interface ChatModel {
  readonly provider: string;
  readonly model: string;
  /**
   * @returns the model's text, which may be empty; the caller decides whether that is an answer
   * @param schema JSON Schema of an object that the answer must be; without it the answer is plain text
   * @throws AppError `model_unavailable` (try again later) or `model_rejected` (do not), or what `signal` was aborted with
   */
  complete(prompt: ChatPrompt, signal: AbortSignal, schema?: Readonly<Record<string, unknown>>): Promise<string>;
}

/**
 * Requests an object and checks it: models are told the schema, and some ignore it.
 *
 * @throws AppError as `ChatModel.complete`; `model_unavailable` for an answer that does not fit
 */
export async function completeJson<T>(
  chat: ChatModel,
  prompt: ChatPrompt,
  shape: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  const { $schema: _, ...schema } = z.toJSONSchema(shape) as Record<string, unknown>;
  const text = await chat.complete(prompt, signal, schema);
  const parsed = shape.safeParse(parseObject(text));
  if (!parsed.success)
    throw new AppError("model_unavailable", "The chat model's answer does not have the requested form.");
  return parsed.data;
}

/** The object in a text that may stand in a Markdown fence or between sentences. */
function parseObject(text: string): unknown {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  try {
    return JSON.parse(text.slice(from, to + 1)) as unknown;
  } catch {
    return undefined;
  }
}

/** The same request would end early again. It is not an outage, or a job would retry for ever. */
export function endedEarly(): AppError {
  return new AppError(
    "model_rejected",
    "The chat model stopped before it answered: a filter stopped it, or its reasoning used all the tokens. Try another model.",
  );
}

/** The error of a failed request. Deliberately without the SDK's own, which carries headers and what the server repeated. */
export function failedModelRequest(what: string, status: number | undefined): AppError {
  if (isRedirect(status))
    return new AppError(
      "model_rejected",
      `The ${what} redirects to another address (status ${status}), which is not followed; configure the address that answers.`,
    );
  const rejected = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (!rejected) {
    const how = status === undefined ? "does not answer" : `answered with status ${status}`;
    return new AppError("model_unavailable", `The ${what} ${how}.`);
  }
  const hint = status === 401 || status === 403 ? "its key" : "the model's name";
  return new AppError("model_rejected", `The ${what} refused the request with status ${status}; check ${hint}.`);
}

/** The address and the name of a model. */
export interface ModelEndpoint {
  readonly provider: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Unset: the provider's own address. */
  readonly baseUrl?: string | undefined;
}
