/** The parts of an OpenAPI schema that Python's types express. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | number | boolean)[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
  description?: string;
}

interface Document {
  components?: { schemas?: Record<string, Schema> };
}

/** The components that methods name. The components that these use are included too. */
const COMPONENTS = [
  "MemorySearchOutput",
  "MemoryGetOutput",
  // Stands before the other types with a scope, because the scope's type is named after the first
  // type that has one.
  "FactInput",
  "ActivityPage",
  "ActivitySummary",
  "AgentDiff",
  "AgentPage",
  "AgentSettings",
  "AgentStatus",
  "AppendedMessages",
  "Branch",
  "BranchList",
  "Captured",
  "ChangePage",
  "ChangedAgent",
  "ChangedFact",
  "ChunkPage",
  "DeletedEval",
  "DeletedFilePage",
  "DeletedFiles",
  "DeletedSession",
  "DeletedSnapshot",
  "ErasureReceipt",
  "EvalComparison",
  "EvalQuestion",
  "EvalRun",
  "EvalRunList",
  "EvalSet",
  "EvalSetList",
  "FactHistory",
  "FactPage",
  "FactPeople",
  "File",
  "FilePage",
  "FileVersionText",
  "FilesInput",
  "ForgottenFacts",
  "ForgottenMany",
  "ForgottenOfSource",
  "ForgottenVersions",
  "FoundFacts",
  "Growth",
  "Ingest",
  "IngestedText",
  "KeyInUse",
  "LeftShare",
  "MemoryMap",
  "MergedBranch",
  "MessageInput",
  "OriginList",
  "Queued",
  "Recalled",
  "RolledBack",
  "Session",
  "SessionPage",
  "Share",
  "ShareList",
  "Snapshot",
  "SnapshotDifference",
  "SnapshotList",
  "StoredFacts",
  "Tenant",
  "ToolDefinitions",
  "VersionDiff",
  "VersionPage",
  "WholeEvalRun",
  "WholeEvalSet",
  "WithdrawnShare",
  "WrittenFile",
  "WrittenFiles",
];
/** Names that are better than the names made from the place in the document. */
const NAMES: Record<string, string> = {
  "FactInput scope": "Scope",
  "FactInput source": "FactSourceInput",
};
/** The lists of words that arguments use too, by the name of the property. */
const WORDS: Record<string, string> = { category: "Category", decayClass: "DecayClass" };
/** Python's keywords, which no field of a class can have as its name. */
const KEYWORDS = new Set("and as class def del for from global if import in is not or pass with".split(" "));

const HEADER = `"""The API's shapes, as its OpenAPI document has them. Made by \`npm run python\`: never changed by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, final
`;

/** The definitions that have been written, and the schemas from which they are written. */
interface Shapes {
  readonly schemas: Record<string, Schema>;
  readonly definitions: Map<string, string>;
  /** The names of the types by structure, so that equal shapes share one name. */
  readonly known: Map<string, string>;
}

/**
 * Returns the Python types of the data that the client sends and receives.
 *
 * @param document the served OpenAPI document
 */
export function renderPythonTypes(document: object): string {
  const { components = {} } = document as Document;
  const shapes = { schemas: components.schemas ?? {}, definitions: new Map<string, string>(), known: new Map() };
  for (const name of COMPONENTS) named(shapes, name);
  return [HEADER, ...[...shapes.definitions.values()].map((text) => `\n${text}\n`)].join("\n");
}

function named(shapes: Shapes, name: string): string {
  const schema = shapes.schemas[name];
  if (!schema) throw new Error(`The document has no schema ${name}; take it out of COMPONENTS or name another.`);
  return shapes.definitions.has(name) ? name : typeOf(shapes, schema, name, "");
}

/**
 * Returns the name of a schema's type, or an expression for it.
 *
 * @param owner the type that has the property, or the type itself if the property is empty
 */
function typeOf(shapes: Shapes, schema: Schema, owner: string, property: string): string {
  const { $ref, enum: values, allOf, properties } = schema;
  const variants = schema.anyOf ?? schema.oneOf;
  if ($ref !== undefined) return named(shapes, nameIn($ref));
  if (values) return words(shapes, values, property);
  if (allOf) return inherited(shapes, allOf, nameAt(owner, property));
  if (variants) return union(shapes, variants, owner, property);
  if (schema.type === "object" && properties) return record(shapes, schema, nameAt(owner, property));
  return plain(schema, (inner) => typeOf(shapes, inner, owner, property));
}

function nameIn($ref: string): string {
  return $ref.split("/").at(-1) ?? "";
}

function plain(schema: Schema, inside: (schema: Schema) => string): string {
  const { type, items = {}, additionalProperties } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== "null").map((one) => inside({ ...schema, type: one }));
    return either([...others, "None"]);
  }
  if (type === "array") return `list[${inside(items)}]`;
  if (type === "object") return `dict[str, ${inside(Object(additionalProperties))}]`;
  return { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }[type ?? ""] ?? "Any";
}

function nameAt(owner: string, property: string): string {
  return property === "" ? owner : (NAMES[`${owner} ${property}`] ?? owner + title(property));
}

function words(shapes: Shapes, values: readonly (string | number | boolean)[], property: string): string {
  const text = `Literal[${values.map(literal).join(", ")}]`;
  const alias = WORDS[property];
  if (alias === undefined) return text;
  shapes.definitions.set(alias, `${alias} = ${text}`);
  return alias;
}

function union(shapes: Shapes, variants: readonly Schema[], owner: string, property: string): string {
  // The variants of a whole answer are final, so that a type checker can tell which variant it has.
  const isFinal = property === "";
  const parts = variants.map((variant) => {
    const kind = title(String(variant.properties?.kind?.enum?.[0] ?? ""));
    if (variant.properties) return record(shapes, variant, nameAt(owner, property) + kind, { isFinal });
    const component = isFinal && variant.$ref !== undefined ? nameIn(variant.$ref) : "";
    const schema = shapes.schemas[component];
    return schema ? record(shapes, schema, component, { isFinal }) : typeOf(shapes, variant, owner, property);
  });
  const alias = NAMES[`${owner} ${property}`];
  if (alias === undefined) return either(parts);
  shapes.definitions.set(alias, `${alias} = ${either(parts)}`);
  return alias;
}

function inherited(shapes: Shapes, [base = {}, more = {}]: readonly Schema[], name: string): string {
  return record(shapes, more, name, { parent: typeOf(shapes, base, name, "") });
}

function record(shapes: Shapes, schema: Schema, name: string, { isFinal = false, parent = "TypedDict" } = {}): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([property, value]) => {
    const type = typeOf(shapes, value, name, property);
    return { property, type: required.has(property) ? type : `NotRequired[${type}]`, about: value.description };
  });
  const structure = JSON.stringify([parent, fields.map(({ property, type }) => [property, type])]);
  const same = shapes.definitions.has(name) ? name : shapes.known.get(structure);
  // A shape that the document names keeps that name.
  if (same !== undefined && (same === name || shapes.schemas[name] === undefined)) return same;
  shapes.known.set(structure, name);
  shapes.definitions.set(name, definition(name, parent, fields, isFinal));
  return name;
}

function definition(
  name: string,
  parent: string,
  fields: readonly { property: string; type: string; about: string | undefined }[],
  isFinal: boolean,
): string {
  // A class cannot have a field that is named like a Python keyword. The other form can, but type
  // checkers accept no decorator on it.
  if (fields.some(({ property }) => KEYWORDS.has(property))) {
    const lines = fields.map(({ property, type }) => `        "${property}": ${JSON.stringify(type)},`);
    return [`${name} = TypedDict(`, `    "${name}",`, "    {", ...lines, "    },", ")"].join("\n");
  }
  const lines = fields.flatMap(({ property, type, about }) => [
    `    ${property}: ${type}`,
    ...(about === undefined ? [] : [`    ${JSON.stringify(about.replaceAll("`", "``"))}`]),
  ]);
  return [
    ...(isFinal ? ["@final"] : []),
    `class ${name}(${parent}):`,
    ...(lines.length > 0 ? lines : ["    pass"]),
  ].join("\n");
}

function either(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function literal(value: string | number | boolean): string {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

function title(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
