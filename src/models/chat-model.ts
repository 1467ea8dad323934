import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { isRedirect } from "../observe/provider-fetch.ts";

/** One question to a chat model. Text from users and files belongs in `user`, never in `system`. */
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
   * Sends the prompt and returns the model's text. The text may be empty; the caller decides
   * whether that is an answer.
   *
   * @param schema JSON Schema of the object that the answer must be; without it the answer is plain
   *   text
   * @throws AppError `model_unavailable` (try again later) or `model_rejected` (do not try again),
   *   or the abort reason of `signal`
   */
  complete(prompt: ChatPrompt, signal: AbortSignal, schema?: Readonly<Record<string, unknown>>): Promise<string>;
}

/**
 * Requests a JSON object and checks it. Models are sent the schema, and some ignore it.
 *
 * @throws AppError as `ChatModel.complete`; `model_unavailable` for an answer that does not match
 *   the schema
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

/** Parses the object in a text. The object may stand in a Markdown fence or between sentences. */
function parseObject(text: string): unknown {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  try {
    return JSON.parse(text.slice(from, to + 1)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Returns the error for an answer that stopped early. The same request would stop early again, so
 * this is not reported as an outage; otherwise a job would retry for ever.
 */
export function endedEarly(): AppError {
  return new AppError(
    "model_rejected",
    "The chat model stopped before it answered: a filter stopped it, or its reasoning used all the tokens. Try another model.",
  );
}

/**
 * Returns the error of a failed request; `unreadable`: there was an answer with status 200 that is not
 * valid JSON, or lacks the fields of the API. The SDK's own error is left out on purpose: it carries
 * headers and everything that the server repeated.
 */
export function failedModelRequest(what: string, status: number | "unreadable" | undefined): AppError {
  if (status === "unreadable")
    return new AppError(
      "model_unavailable",
      `The ${what} answered, but not with valid JSON of its API; check its address, which may lead to another server, a login page or a proxy.`,
    );
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
  /** The address; unset: the provider's own address. */
  readonly baseUrl?: string | undefined;
}
