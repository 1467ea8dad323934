import { AppError } from "../../base/errors.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import { candidates, fits } from "./embedder-registry.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

type Built = Pick<Generation, "provider" | "model">;

const UNTIL = "Search is by keyword only until a new index is ready.";

/** Returns the warning for an index whose embedder cannot be made now, but perhaps in a moment. */
export function notReady(built: Built, { message }: AppError): string {
  const name = `${built.provider}/${built.model}`;
  return runsInProcess(built)
    ? `The model ${name}, which the index was built with, is still being loaded; keyword search only. ${message}`
    : `The embedding provider of ${name}, which the index was built with, cannot be used now; keyword search only. ${message}`;
}

/**
 * Returns why the settings do not lead to the embedder that a generation was built with, in one or
 * two sentences. A provider that does not answer is one of the reasons.
 */
export async function whyNoEmbedder(
  deps: Pick<EmbeddingDeps, "embedders">,
  generation: Generation,
  { settings }: AgentProfile,
): Promise<string> {
  const built = `The index was built with ${generation.provider}/${generation.model}`;
  const [usual, ...others] = candidates(generation, settings).map((candidate) => ({ ...settings, ...candidate }));
  const tried = await Promise.all([usual, ...others].flatMap((one) => (one ? [attempt(deps, one)] : [])));
  const away = tried.find(({ refusal }) => refusal?.code === "embedder_unavailable")?.refusal;
  if (away) return notReady(generation, away);
  if (others.length === 0 && generation.endpoint === null)
    return `${built} by an earlier version, which recorded no address, and the current settings name another model. ${UNTIL}`;
  if (others.length === 0) return `${built} at another address than the current settings name. ${UNTIL}`;
  const made = tried.flatMap(({ embedder }) => embedder ?? []);
  if (made.some((embedder) => fits(embedder, generation))) return `${built}. It can be used again from now on.`;
  const other = made.find(({ provider, model }) => provider === generation.provider && model === generation.model);
  if (other) {
    const [was, is] = [generation.dimensions, other.dimensions];
    return `${built}, whose vectors had ${was} dimensions; now they have ${is}. ${UNTIL}`;
  }
  const reason = tried.at(-1)?.refusal?.message;
  return `${built}, which cannot be used now. ${reason === undefined ? UNTIL : `${reason} ${UNTIL}`}`;
}

async function attempt(
  { embedders }: Pick<EmbeddingDeps, "embedders">,
  settings: MemorySettings,
): Promise<{ embedder?: Embedder | undefined; refusal?: AppError }> {
  try {
    return { embedder: await embedders.forSettings(settings) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { refusal: error };
  }
}
