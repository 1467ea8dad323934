import { AppError } from "../../base/errors.ts";
import type { Embedder, EmbedReport } from "../../embeddings/embedder.ts";
import { PROFILES } from "../../embeddings/providers.ts";
import { type Finding, failed, ok } from "./finding.ts";

const TIMEOUT_MS = 30_000;
const NONE_WANTED = ok("provider", "The provider is none, so search is by keyword only.");

/**
 * Returns the finding about an embedder: it calls `ask`, or returns a finding from a moment ago.
 */
export type AnswerAbout = (embedder: Embedder, ask: () => Promise<Finding>) => Promise<Finding>;

/**
 * Requests one embedding from the provider, like a search.
 *
 * @param wanted the provider that the settings name, perhaps `auto`
 * @param open opens the embedder of the settings, which its opener closes; returns undefined if
 *   search is by keyword only
 * @param options.reportOf counts the requests to the provider
 */
export async function diagnoseProvider(
  wanted: string,
  open: () => Promise<Embedder | undefined>,
  {
    answerAbout = (_, ask) => ask(),
    reportOf,
  }: { answerAbout?: AnswerAbout; reportOf?: (embedder: Embedder) => EmbedReport } = {},
): Promise<Finding> {
  let embedder: Embedder | undefined;
  try {
    embedder = await open();
  } catch (error) {
    return troubleOf(error, wanted, undefined);
  }
  return embedder ? answerAbout(embedder, () => ask(embedder, wanted, reportOf?.(embedder))) : NONE_WANTED;
}

async function ask(embedder: Embedder, wanted: string, report: EmbedReport | undefined): Promise<Finding> {
  const started = performance.now();
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const [vector] = await embedder.embed(["Is the provider there?"], "query", signal, report);
    const took = ((performance.now() - started) / 1000).toFixed(2);
    const { provider, model } = embedder;
    return ok("provider", `${provider} · ${model}: one embedding of ${vector?.length} dimensions in ${took} s.`);
  } catch (error) {
    return troubleOf(error, wanted, embedder);
  }
}

function troubleOf(error: unknown, wanted: string, embedder: Embedder | undefined): Finding {
  const name = embedder ? `${embedder.provider} · ${embedder.model}: ` : "";
  if (error instanceof DOMException && error.name === "TimeoutError")
    return failed("provider", `${name}no answer within ${TIMEOUT_MS / 1000} s.`, AWAY, "slow");
  if (!(error instanceof AppError)) throw error;
  // The error about a missing key names its variable.
  if (error.code === "config_invalid" && wanted === "local")
    return failed(
      "provider",
      error.message,
      "Put the GGUF file where local.modelPath says, readable for the service; until then search is by keyword.",
    );
  if (error.code === "config_invalid")
    return failed(
      "provider",
      error.message,
      "Correct the setting that the message names, or choose another provider with RECOLLECT_PROVIDER (builtin needs no key).",
    );
  return failed("provider", `${name}${error.message}`, ...remedyOf(error, embedder?.provider ?? wanted));
}

function remedyOf({ code, details = {} }: AppError, provider: string): [remedy: string, reason?: Finding["reason"]] {
  const { status, providerCode, dimensions, answer } = details;
  if (typeof dimensions === "number") return [lengthRemedy(dimensions)];
  if (providerCode === "insufficient_quota" || status === 402) return [QUOTA];
  if (status === 429) return [LIMIT, "limit"];
  if (answer === "wrong") return [WRONG];
  if (code === "embedder_unavailable") return [AWAY, "outage"];
  return [status === 401 || status === 403 ? `Put a valid key into ${keyVariable(provider)}.` : MODEL];
}

function lengthRemedy(dimensions: number): string {
  return (
    `If the provider's model has changed: \`recollect agents set <agent> outputDimensionality ${dimensions}\`, or ` +
    `RECOLLECT_OUTPUT_DIMENSIONALITY=${dimensions} for all agents and a restart of all processes; a new index is built.`
  );
}

const AWAY =
  "Check the network and RECOLLECT_BASE_URL, or wait; until it answers, search is by keyword and writes are kept.";
const WRONG =
  "Correct RECOLLECT_BASE_URL and RECOLLECT_MODEL, or look into the server behind them: its answers are not those of an embedding API. Until then search is by keyword and writes are kept.";
const QUOTA =
  "The account's quota is spent: add credit or raise its limit at the provider; until then search is by keyword, and writes are kept and embedded later.";
const LIMIT =
  "The account's limit of requests is reached: wait, or raise it at the provider; until then search is by keyword, and writes are kept and embedded later.";
const MODEL = "Check RECOLLECT_MODEL, RECOLLECT_BASE_URL and RECOLLECT_OUTPUT_DIMENSIONALITY.";

function keyVariable(provider: string): string {
  const variable = (PROFILES as Partial<Record<string, { keyVariable: string | undefined }>>)[provider]?.keyVariable;
  return variable ?? "the variable of the provider, such as OPENAI_API_KEY";
}
