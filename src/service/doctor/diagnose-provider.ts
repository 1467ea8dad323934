import { AppError } from "../../base/errors.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { PROFILES } from "../../embeddings/providers.ts";
import { type Finding, failed, ok } from "./finding.ts";

const TIMEOUT_MS = 30_000;

type Report = (embedder: Embedder, used: { tokens: number }) => void;

/** What each embedder answered last. */
const answers = new WeakMap<Embedder, { at: number; finding: Promise<Finding> }>();

/**
 * Requests one embedding from the provider, like a search.
 *
 * @param wanted the provider that the settings name, perhaps `auto`
 * @param open gives the embedder of the settings, which whoever opened it closes; undefined: search by keyword only
 * @param keptMs for how long the last answer of the same embedder is given again
 * @param report what the provider counted
 */
export async function diagnoseProvider(
  wanted: string,
  open: () => Promise<Embedder | undefined>,
  { keptMs = 0, report }: { keptMs?: number; report?: Report } = {},
): Promise<Finding> {
  let embedder: Embedder | undefined;
  try {
    embedder = await open();
    if (!embedder) return ok("provider", "None is wanted (provider none): search is by keyword only.");
    const started = performance.now();
    const last = keptMs > 0 ? answers.get(embedder) : undefined;
    if (last && started - last.at < keptMs) return last.finding;
    const finding = ask(embedder, report);
    if (keptMs > 0)
      answers.set(embedder, { at: started, finding: finding.catch((error) => troubleOf(error, wanted, embedder)) });
    return await finding;
  } catch (error) {
    return troubleOf(error, wanted, embedder);
  }
}

async function ask(embedder: Embedder, report: Report | undefined): Promise<Finding> {
  const started = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [vector] = await embedder.embed(
    ["Is the provider there?"],
    "query",
    signal,
    report && ((used) => report(embedder, used)),
  );
  const tookMs = Math.round(performance.now() - started);
  const { provider, model } = embedder;
  return ok("provider", `${provider} · ${model}: one embedding of ${vector?.length} dimensions in ${tookMs} ms.`);
}

function troubleOf(error: unknown, wanted: string, embedder: Embedder | undefined): Finding {
  const name = embedder ? `${embedder.provider} · ${embedder.model}: ` : "";
  if (error instanceof DOMException && error.name === "TimeoutError")
    return failed("provider", `${name}nothing within ${TIMEOUT_MS / 1000} s.`, AWAY);
  if (!(error instanceof AppError)) throw error;
  // The error of a missing key names its variable.
  if (error.code === "config_invalid")
    return failed(
      "provider",
      error.message,
      "Set it, or choose another provider with RECOLLECT_PROVIDER (builtin needs no key).",
    );
  if (error.code === "embedder_unavailable") return failed("provider", `${name}${error.message}`, AWAY);
  const { status } = error.details ?? {};
  const remedy =
    status === 401 || status === 403 ? `Put a valid key into ${keyVariable(embedder?.provider ?? wanted)}.` : MODEL;
  return failed("provider", `${name}${error.message}`, remedy);
}

const AWAY =
  "Check the network and RECOLLECT_BASE_URL, or wait; until it answers, search is by keyword and writes are kept.";
const MODEL = "Check RECOLLECT_MODEL, RECOLLECT_BASE_URL and RECOLLECT_OUTPUT_DIMENSIONALITY.";

function keyVariable(provider: string): string {
  const variable = (PROFILES as Partial<Record<string, { keyVariable: string | undefined }>>)[provider]?.keyVariable;
  return variable ?? "the variable of the provider, such as OPENAI_API_KEY";
}
