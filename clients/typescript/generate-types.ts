/**
 * `npm run client:types` writes src/client/api-types.ts, the types of the API's data, from the
 * OpenAPI document. test/client/types.test.ts fails while that file is stale.
 *
 * The script belongs to this workspace because the generator prints with the compiler API of
 * TypeScript 5. TypeScript 7, which the repository uses, has no such API. npm installs both
 * versions, as this workspace has its own.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import openapiTS from "openapi-typescript";
import ts from "typescript";
import { STATUS } from "../../src/http/render-error.ts";
import { createRecollect } from "../../src/start/create-recollect.ts";

/** The parts of the document that this script reads. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string; required?: boolean; schema: object }[];
  requestBody?: object;
  responses: object;
}

/** The names in the client of schemas that have another name in the document. */
const NAMES: Readonly<Record<string, string>> = {
  Error: "Problem",
  FileInput: "FileContent",
  Ingest: "IngestStatus",
  MemoryGetInput: "GetInput",
  MemorySearchInput: "SearchInput",
  NamedFile: "FileInput",
  Queued: "SyncRequested",
  ReindexProgress: "Progress",
  SearchHitFact: "HitFact",
  SearchHitSession: "HitSession",
};

const ERROR_CODE = {
  type: "string",
  description: "All error codes. docs/ERRORS.md explains each of them. Codes are only added, never renamed.",
  enum: Object.keys(STATUS),
};

const UNDEFINED = ts.SyntaxKind.UndefinedKeyword;
const HEADER = "/** The data of the API, made from its OpenAPI document by `npm run client:types`. */\n";

/** Returns the module with the types of all named schemas, and of each operation's query. */
export async function renderClientTypes(document: object): Promise<string> {
  const { paths, components } = document as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const responses = operations.map((operation) => operation.responses);
  const received = reachable(components.schemas, responses);
  const schemas = { ...components.schemas, ...queriesOf(operations), ErrorCode: ERROR_CODE };
  const nodes = await openapiTS(
    { openapi: "3.1.0", info: { title: "", version: "" }, paths: {}, components: { schemas } } as never,
    { defaultNonNullable: false, silent: true, transform: timeToSend },
  );
  const printer = ts.createPrinter();
  const file = ts.createSourceFile("api-types.ts", "", ts.ScriptTarget.Latest);
  const declarations = schemasIn(nodes).map((schema) => {
    const declaration = declare(schema, received.has(nameOf(schema)));
    return printer.printNode(ts.EmitHint.Unspecified, declaration, file);
  });
  // TypeScript shows a text without a tag best, and shows an enumeration's values anyway.
  const text = declarations
    .join("\n\n")
    .replaceAll("@description ", "")
    .replace(/^ +\/?\*+ @enum \{\w+\}( \*\/)?\n/gm, "");
  const biome = ["format", "--stdin-file-path=src/client/api-types.ts"];
  return execFileSync("node_modules/.bin/biome", biome, { input: `${HEADER}\n${text}\n`, encoding: "utf8" });
}

/**
 * Returns the type of a time. Only data to send has this format: JSON and queries hold a `Date` as an ISO 8601
 * text.
 */
function timeToSend({ format, type }: { format?: string; type?: string | string[] }): ts.TypeNode | undefined {
  if (format !== "date-time") return undefined;
  const { factory } = ts;
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const none =
    Array.isArray(type) && type.includes("null") ? [factory.createLiteralTypeNode(factory.createNull())] : [];
  return factory.createUnionTypeNode([text, factory.createTypeReferenceNode("Date"), ...none]);
}

/** Returns each operation's query as the schema of an object. */
function queriesOf(operations: readonly Operation[]): Record<string, object> {
  const named = operations.map(({ operationId, parameters = [] }) => {
    const asked = parameters.filter((one) => one.in === "query");
    const properties = Object.fromEntries(asked.map(({ name, schema }) => [name, schema]));
    const required = asked.filter((one) => one.required).map(({ name }) => name);
    const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
    return [name, { type: "object", properties, required }] as const;
  });
  return Object.fromEntries(named.filter(([, { properties }]) => Object.keys(properties).length > 0));
}

/** Returns the names of the schemas to which these parts of the document lead. */
function reachable(schemas: Record<string, object>, parts: readonly object[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: (object | undefined)[] = [...parts];
  for (const part of waiting)
    for (const [, name = ""] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!found.has(name)) {
        found.add(name);
        waiting.push(schemas[name]);
      }
  return found;
}

/** Returns the schemas among what the generator made, as the properties of one type. */
function schemasIn(nodes: readonly ts.Node[]): readonly ts.PropertySignature[] {
  const components = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "components");
  const parts: readonly ts.Node[] = components && ts.isInterfaceDeclaration(components) ? components.members : [];
  const schemas = parts.filter(ts.isPropertySignature).find((one) => nameOf(one) === "schemas")?.type;
  if (!schemas || !ts.isTypeLiteralNode(schemas)) throw new Error("The generator made no `components.schemas`.");
  return schemas.members.filter(ts.isPropertySignature);
}

function nameOf(property: ts.PropertySignature): string {
  return (property.name as ts.Identifier).text;
}

/** Returns the declaration of a schema's type: an interface if it is an object. */
function declare(schema: ts.PropertySignature, isReceived: boolean): ts.Node {
  const named = typeName(nameOf(schema));
  const shown = ts.visitNode(schema.type, (node) => adapt(node, isReceived)) as ts.TypeNode;
  const parts = ts.isIntersectionTypeNode(shown) ? [...shown.types] : [shown];
  const own = parts.find(ts.isTypeLiteralNode);
  const parents = parts.filter(ts.isTypeReferenceNode);
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const isInterface = own && parents.length === parts.length - 1;
  const bases = parents.map((one) => ts.factory.createExpressionWithTypeArguments(one.typeName as ts.Identifier, []));
  const clauses = bases.length > 0 ? [ts.factory.createHeritageClause(ts.SyntaxKind.ExtendsKeyword, bases)] : [];
  const declaration = isInterface
    ? ts.factory.createInterfaceDeclaration(exported, named, undefined, clauses, own.members)
    : ts.factory.createTypeAliasDeclaration(exported, named, undefined, shown);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(schema));
}

/**
 * Adapts a type to its users. An absent property may also be `undefined`, since many programs set
 * it so. Data to send may hold read-only lists, and objects of an interface type, which fit no
 * index signature.
 */
function adapt(node: ts.Node, isReceived: boolean): ts.Node {
  const { factory } = ts;
  const inner = ts.visitEachChild(node, (child) => adapt(child, isReceived), undefined);
  if (ts.isIndexedAccessTypeNode(inner)) {
    const { literal } = inner.indexType as ts.LiteralTypeNode;
    return factory.createTypeReferenceNode(typeName((literal as ts.StringLiteral).text));
  }
  if (ts.isPropertySignature(inner) && inner.questionToken && inner.type?.kind !== ts.SyntaxKind.UnknownKeyword) {
    const either = factory.createUnionTypeNode([inner.type as ts.TypeNode, factory.createKeywordTypeNode(UNDEFINED)]);
    return factory.updatePropertySignature(inner, inner.modifiers, inner.name, inner.questionToken, either);
  }
  if (isReceived) return inner;
  if (ts.isArrayTypeNode(inner)) return factory.createTypeOperatorNode(ts.SyntaxKind.ReadonlyKeyword, inner);
  const isAnyObject = ts.isTypeLiteralNode(inner) && inner.members.every(ts.isIndexSignatureDeclaration);
  return isAnyObject ? factory.createKeywordTypeNode(ts.SyntaxKind.ObjectKeyword) : inner;
}

function typeName(name: string): string {
  return NAMES[name] ?? name;
}

if (import.meta.main) {
  const recollect = await createRecollect({ provider: "none" });
  const document = await recollect.request<object>("GET", "/openapi.json");
  await recollect.close();
  writeFileSync("src/client/api-types.ts", await renderClientTypes(document));
}
