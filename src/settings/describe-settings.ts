import { z } from "zod";
import { valueAt } from "../base/objects.ts";
import { leavesOf } from "./schema-leaves.ts";
import { operatorKeysIn } from "./settings.ts";
import { DEFAULT_SETTINGS, settingsSchema } from "./settings-schema.ts";

/** The parts of the schema, as JSON Schema, that are read here. */
interface Described {
  type?: string;
  description?: string;
  enum?: string[];
  const?: string;
  anyOf?: Described[];
  minimum?: number;
  maximum?: number;
  items?: Described;
  properties?: Record<string, Described>;
}

/** The values that a setting may have, and the roles that may set it. */
export interface SettingShape {
  /** `choice`: one of `values`; `list`: several texts; `texts`: texts by name. */
  type: "switch" | "integer" | "number" | "choice" | "text" | "list" | "texts";
  /** The texts that are allowed; for a number, those that are allowed in its place. */
  values?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  /** Whether a change builds a new index. */
  newIndex: boolean;
  /** `operator`: only with the scope `admin`; `file`: only in the operator's files. */
  setBy: "tenant" | "operator" | "file";
}

interface KnownSettings {
  descriptions: Readonly<Record<string, string>>;
  shapes: Readonly<Record<string, SettingShape>>;
}

let known: KnownSettings | undefined;

/**
 * Returns the description of each setting, a sentence or two, and its shape, both by the setting's
 * dotted path. "New index." in a description marks settings whose change builds a new index.
 */
export function describeSettings(): KnownSettings {
  if (known) return known;
  const leaves = leavesOf(z.toJSONSchema(settingsSchema, { unrepresentable: "any" }) as Described);
  known = {
    descriptions: Object.fromEntries(
      leaves.flatMap(([path, { description }]) => (description === undefined ? [] : [[path, description]])),
    ),
    shapes: Object.fromEntries(leaves.map(([path, leaf]) => [path, shapeOf(path, leaf)])),
  };
  return known;
}

function shapeOf(path: string, leaf: Described): SettingShape {
  const byDefault = valueAt(DEFAULT_SETTINGS, path);
  return {
    ...valuesOf(leaf),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    newIndex: /New index\./.test(leaf.description ?? ""),
    setBy: setBy(path),
  };
}

function valuesOf(leaf: Described): Pick<SettingShape, "type" | "values" | "minimum" | "maximum"> {
  const { anyOf, items, minimum, maximum } = leaf;
  if (anyOf) {
    const values = anyOf.flatMap((one) => (one.const === undefined ? (one.enum ?? []) : [one.const]));
    const rest = anyOf.find((one) => one.const === undefined && one.enum === undefined);
    return { ...(rest ? valuesOf(rest) : { type: "choice" as const }), ...(values.length > 0 ? { values } : {}) };
  }
  if (leaf.enum) return { type: "choice", values: leaf.enum };
  if (leaf.type === "boolean") return { type: "switch" };
  if (leaf.type === "array") return { type: "list", ...(items?.enum ? { values: items.enum } : {}) };
  if (leaf.type === "object") return { type: "texts" };
  if (leaf.type !== "integer" && leaf.type !== "number") return { type: "text" };
  return {
    type: leaf.type,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}

/** Secrets are in files only. The control schema is not a vault. */
const SECRET = /^remote\.(former\.)?(apiKey|headers)$/;

function setBy(path: string): SettingShape["setBy"] {
  if (SECRET.test(path)) return "file";
  const patch = path.split(".").reduceRight<unknown>((value, key) => ({ [key]: value }), "any") as object;
  return operatorKeysIn(patch).length > 0 ? "operator" : "tenant";
}
