import { AppError } from "../../base/errors.ts";
import { PROFILES } from "../../embeddings/providers.ts";
import { DEFAULT_RERANK_MODELS } from "../../models/open-models.ts";
import { DEFAULT_EMBEDDING_MODEL, FORMER_DEFAULT_MODELS } from "../../onnx/model-table.ts";
import { resolveSettings, type SettingsLayer } from "../../settings/settings.ts";
import type { MemorySettings, SettingsPatch } from "../../settings/settings-schema.ts";
import type { CoreDeps } from "./core-deps.ts";

/** A model that settings choose. */
interface Choice {
  /** The setting that names the model. */
  readonly path: string;
  readonly provider: string;
  /** The name of the model; undefined: the model that the operator's keys lead to. */
  readonly model: string | undefined;
  /** Returns a function that replaces this choice in settings by the choice of other settings. */
  replacedBy(other: MemorySettings): (settings: MemorySettings) => MemorySettings;
}

/**
 * Returns every model that the settings make the service use, with the provider's default if they
 * name none.
 */
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

/** Returns the settings that form one choice: a size or an input type is meant for one model. */
function embeddingOf(settings: MemorySettings) {
  const { provider, model, outputDimensionality, queryInputType, documentInputType } = settings;
  return { provider, model, outputDimensionality, queryInputType, documentInputType };
}

function defaultModel(provider: string): string | undefined {
  if (provider === "builtin") return DEFAULT_EMBEDDING_MODEL;
  return (PROFILES as Partial<Record<string, { defaultModel: string | undefined }>>)[provider]?.defaultModel;
}

/** Returns the choices that are neither the operator's own nor on the operator's list. */
function refusedChoices(settings: MemorySettings, operators: MemorySettings, allowed: readonly string[]): Choice[] {
  const own = new Map(choicesOf(operators).map((choice) => [choice.path, choice]));
  return choicesOf(settings).filter(({ path, provider, model }) => {
    const usual = own.get(path);
    if (provider === "none" || (provider === usual?.provider && model === usual.model)) return false;
    // Without a name this is the operator's own chat model, which everyone may use.
    if (provider === "chat" && model === undefined) return false;
    return model === undefined || !isOffered(model, allowed);
  });
}

/**
 * Returns whether the list offers a model. A list that names a former built-in default also offers
 * the current default.
 */
function isOffered(model: string, allowed: readonly string[]): boolean {
  const isFormer = (name: string) => FORMER_DEFAULT_MODELS.includes(name);
  return allowed.includes(model) || (model === DEFAULT_EMBEDDING_MODEL && allowed.some(isFormer));
}

/**
 * Returns the settings with the operator's choice in place of each model that the operator does not
 * offer: a model that was chosen before there was a list, or that has been taken from it.
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
 * @param before the current settings; their choices may stay, without effect
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

/**
 * Returns the part of the settings that chooses models. The rest might not be valid together with
 * the operator's settings alone.
 */
function choosing({ provider, model, fallback, query, facts }: SettingsPatch): SettingsPatch {
  return {
    provider,
    model,
    fallback,
    query: { rerank: query?.rerank, hyde: query?.hyde },
    facts: { capture: { model: facts?.capture?.model }, ingest: { model: facts?.ingest?.model } },
  };
}
