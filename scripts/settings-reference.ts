/** `node --run docs`: docs/SETTINGS.md out of the schemas; test/docs/settings-reference.test.ts fails while it is stale. */
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { z } from "zod";
import { localCaller } from "../src/agents/access.ts";
import { isObject, operatorKeysIn } from "../src/agents/settings.ts";
import { DEFAULT_SETTINGS, settingsSchema } from "../src/agents/settings-schema.ts";
import { environmentSchema } from "../src/config/environment.ts";
import { checkOperatorKeys } from "../src/service/admin/check-operator-keys.ts";
import type { Deps } from "../src/service/deps.ts";

/** What is read here of a schema as JSON Schema. */
interface Described {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Described[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Described;
  properties?: Record<string, Described>;
}

/** The whole page. @throws Error when a setting has no description */
export function renderSettingsReference(): string {
  const settings = leavesOf(toJsonSchema(settingsSchema), "").map(([name, leaf]) => [
    `\`${name}\``,
    typeOf(leaf),
    defaultOf(valueAt(name)),
    whoMaySet(name),
    described(name, leaf),
  ]);
  const variables = leavesOf(toJsonSchema(environmentSchema), "").map(([name, leaf]) => [
    `\`${name}\``,
    typeOf(leaf),
    defaultOf(leaf.default),
    described(name, leaf),
  ]);
  return `<!-- Made by \`npm run docs\` of src/agents/settings-schema.ts and src/config/config.ts: change those. -->
# Settings

## Of an agent's memory

Defaults < \`~/.recollect/config.yaml\` < \`./recollect.yaml\` < environment < tenant < agent. In a
[config file](OPERATIONS.md#config-files) they stand under \`agents.defaults.memorySearch\` and \`agents.list[].memorySearch\`, as in an
OpenClaw configuration; a tenant's and an agent's are changed with \`PATCH /v1/tenant\`, \`PATCH /v1/agents/{agentId}\` or
\`recollect agents set\`. \`GET /v1/agents/{agentId}/settings\` says which hold and where each comes from.

Who sets: **tenant** is a key with the scope \`tenant\`; **admin** the operator alone, in a file or with the scope \`admin\`, as the
server is made to reach a URL or a file; **file** a config file or the environment alone, as it is a secret. The providers \`ollama\`,
\`openai-compatible\` and \`local\` are set by admin, too. "New index": a change builds one [beside the index in
use](API.md#a-new-index).

${table(["setting", "value", "default", "who sets", "what it does"], settings)}
## Of a process (environment)

Read once at the start; a bad value stops it, and the message names the variable. \`HOME\` is where the user's config
file is looked for, and \`NO_COLOR\` takes the colours off.

${table(["variable", "value", "default", "what it does"], variables)}`;
}

function toJsonSchema(schema: z.ZodType): Described {
  return z.toJSONSchema(schema, { unrepresentable: "any" }) as Described;
}

/** Every setting with its dotted path, in the schema's order. */
function leavesOf(schema: Described, path: string): [string, Described][] {
  if (!schema.properties) return [[path, schema]];
  return Object.entries(schema.properties).flatMap(([key, child]) => leavesOf(child, path ? `${path}.${key}` : key));
}

function described(name: string, { description }: Described): string {
  if (!description) throw new Error(`${name} has no description in its schema: add what it does.`);
  return description;
}

function typeOf(leaf: Described): string {
  if (leaf.anyOf) return leaf.anyOf.map(typeOf).join("; ");
  if (leaf.const !== undefined) return `\`${leaf.const}\``;
  if (leaf.enum) return leaf.enum.map((value) => `\`${value}\``).join(", ");
  if (leaf.type === "array") {
    const of = leaf.items?.enum ? `: ${typeOf(leaf.items)}` : "";
    return leaf.items?.enum ? `list${of}` : `list, at most ${leaf.maxItems}`;
  }
  if (leaf.type === "boolean") return "`true`, `false`";
  if (leaf.type === "object") return "texts by name";
  if (leaf.type === "integer" || leaf.type === "number")
    return `${leaf.type === "number" ? "number, " : ""}${grouped(leaf.minimum)} to ${grouped(leaf.maximum)}`;
  return leaf.format === "uri" ? "URL" : "text";
}

function grouped(value: number | undefined): string {
  return value === undefined ? "" : value.toLocaleString("en-US");
}

function defaultOf(value: unknown): string {
  if (value === undefined) return "–";
  const text = typeof value === "string" ? value.replace(homedir(), "~") : JSON.stringify(value);
  return `\`${text}\``;
}

function valueAt(name: string): unknown {
  return name.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), DEFAULT_SETTINGS);
}

/** Asks the rule itself: what it refuses even to the operator is for files, what it refuses to a tenant's key is the operator's. */
function whoMaySet(name: string): "tenant" | "admin" | "file" {
  const patch = name.split(".").reduceRight<unknown>((value, key) => ({ [key]: value }), "any") as object;
  if (operatorKeysIn(patch).length === 0) return "tenant";
  try {
    checkOperatorKeys({ defaults: { extraPathRoots: [] } } as unknown as Deps, localCaller("any"), patch, patch);
    return "admin";
  } catch {
    return "file";
  }
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

if (import.meta.main) writeFileSync(new URL("../docs/SETTINGS.md", import.meta.url), renderSettingsReference());
