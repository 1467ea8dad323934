import { resolveSettings, type SettingsLayer } from "../../agents/settings.ts";
import type { MemorySettings, SettingsPatch } from "../../agents/settings-schema.ts";
import { AppError } from "../../base/errors.ts";
import { PROFILES } from "../../embeddings/providers.ts";
import { DEFAULT_RERANK_MODELS } from "../../models/open-models.ts";
import { DEFAULT_EMBEDDING_MODEL, FORMER_DEFAULT_MODELS } from "../../onnx/model-table.ts";
import type { CoreDeps } from "./core-deps.ts";

/** A model that settings choose. */
interface Choice {
  /** The setting that names it. */
  readonly path: string;
  readonly provider: string;
  /** Undefined: whatever the operator's keys lead to. */
  readonly model: string | undefined;
  /** The settings with this choice as other settings have it. */
  replacedBy(other: MemorySettings): (settings: MemorySettings) => MemorySettings;
}

/** Every model that settings make the service ask, with the provider's default where they name none. */
function choicesOf({ provider, model, fallback, query, facts }: MemorySettings): Choice[] {
  const chat = (path: string, name: string | undefined, replacedBy: Choice["replacedBy"]): Choice => ({
    path,
    provider: "chat",
    model: name,
    replacedBy,
  });
  return [
    {
      path: "model",
      provider,
      model: model ?? defaultModel(provider),
      replacedBy: (other) => (settings) => ({ ...settings, ...embeddingOf(other) }),
    },
    {
      path: "fallback",
      provider: fallback,
      model: defaultModel(fallback),
      replacedBy: (other) => (settings) => ({ ...settings, fallback: other.fallback }),
    },
    {
      path: "query.rerank.model",
      provider: query.rerank.provider,
      model: query.rerank.model ?? DEFAULT_RERANK_MODELS[query.rerank.provider],
      replacedBy: (other) => (settings) => ({
        ...settings,
        query: { ...settings.query, rerank: { ...other.query.rerank, candidates: settings.query.rerank.candidates } },
      }),
    },
    chat("query.hyde.model", query.hyde.model, (other) => (settings) => ({
      ...settings,
      query: { ...settings.query, hyde: { ...settings.query.hyde, model: other.query.hyde.model } },
    })),
    chat("facts.capture.model", facts.capture.model, (other) => (settings) => ({
      ...settings,
      facts: { ...settings.facts, capture: { ...settings.facts.capture, model: other.facts.capture.model } },
    })),
    chat("facts.ingest.model", facts.ingest.model, (other) => (settings) => ({
      ...settings,
      facts: { ...settings.facts, ingest: { ...settings.facts.ingest, model: other.facts.ingest.model } },
    })),
  ];
}

/** What is one choice: a size or an input type is meant for a model. */
function embeddingOf(settings: MemorySettings) {
  const { provider, model, outputDimensionality, queryInputType, documentInputType } = settings;
  return { provider, model, outputDimensionality, queryInputType, documentInputType };
}

function defaultModel(provider: string): string | undefined {
  if (provider === "builtin") return DEFAULT_EMBEDDING_MODEL;
  return (PROFILES as Partial<Record<string, { defaultModel: string | undefined }>>)[provider]?.defaultModel;
}

/** The choices that are neither the operator's own nor on the operator's list. */
function refusedChoices(settings: MemorySettings, operators: MemorySettings, allowed: readonly string[]): Choice[] {
  const own = new Map(choicesOf(operators).map((choice) => [choice.path, choice]));
  return choicesOf(settings).filter(({ path, provider, model }) => {
    const usual = own.get(path);
    if (provider === "none" || (provider === usual?.provider && model === usual.model)) return false;
    // The operator's chat model, whoever wants it.
    if (provider === "chat" && model === undefined) return false;
    return model === undefined || !isOffered(model, allowed);
  });
}

/** A list from before the built-in model had another default means whatever is the default. */
function isOffered(model: string, allowed: readonly string[]): boolean {
  const isFormer = (name: string) => FORMER_DEFAULT_MODELS.includes(name);
  return allowed.includes(model) || (model === DEFAULT_EMBEDDING_MODEL && allowed.some(isFormer));
}

/**
 * The settings with the operator's choice in place of each model that the operator does not offer: one that was chosen before
 * there was a list, or that has been taken from it.
 */
export function withAllowedModels(
  deps: Pick<CoreDeps, "defaults">,
  settings: MemorySettings,
  operatorLayers: readonly SettingsLayer[],
): MemorySettings {
  const { allowedModels } = deps.defaults;
  if (allowedModels === undefined) return settings;
  const operators = resolveSettings(operatorLayers).settings;
  return refusedChoices(settings, operators, allowedModels).reduce(
    (rest, choice) => choice.replacedBy(operators)(rest),
    settings,
  );
}

/**
 * Refuses a tenant's or an agent's settings that choose a model which the operator does not offer.
 *
 * @param before what was there; what was chosen before may stay, and has no effect
 * @throws AppError `invalid_settings`
 */
export function checkAllowedModels(
  deps: Pick<CoreDeps, "defaults">,
  before: SettingsPatch,
  after: SettingsPatch,
): void {
  const { allowedModels } = deps.defaults;
  if (allowedModels === undefined) return;
  const operatorLayers = deps.defaults.layers;
  const operators = resolveSettings(operatorLayers).settings;
  const refused = (settings: SettingsPatch) => {
    const chosen = resolveSettings([...operatorLayers, { origin: "own", settings: choosing(settings) }]).settings;
    return refusedChoices(chosen, operators, allowedModels);
  };
  const known = new Set(refused(before).map(nameOf));
  const [first] = refused(after).filter((choice) => !known.has(nameOf(choice)));
  if (!first) return;
  const { path, provider, model } = first;
  const what = model === undefined ? `provider ${provider} without a model` : `model ${model}`;
  const offer = allowedModels.length === 0 ? "none but its own" : allowedModels.join(", ");
  throw new AppError(
    "invalid_settings",
    `The settings are not valid. settings.${path}: the operator of this server does not offer the ${what}; it offers ${offer}.`,
    { details: { path: `settings.${path}`, models: allowedModels } },
  );
}

function nameOf({ path, provider, model }: Choice): string {
  return [path, provider, model].join("\n");
}

/** What of settings chooses models. The rest might not fit to the operator's alone. */
function choosing({ provider, model, fallback, query, facts }: SettingsPatch): SettingsPatch {
  return {
    provider,
    model,
    fallback,
    query: { rerank: query?.rerank, hyde: query?.hyde },
    facts: { capture: { model: facts?.capture?.model }, ingest: { model: facts?.ingest?.model } },
  };
}
