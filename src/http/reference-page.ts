import type { ApiDocument } from "./describe-api.ts";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem 1.5rem}
code,pre{font:13px/1.45 ui-monospace,monospace}
pre{overflow:auto;background:var(--soft);padding:.75rem;border-radius:6px}
nav a{margin-right:1rem}
h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.4rem .75rem}
summary{cursor:pointer}summary b{display:inline-block;min-width:4.2rem}
table{border-collapse:collapse}td{padding:.15rem 1rem .15rem 0;vertical-align:top}`;

interface Described {
  summary?: string;
  operationId?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: unknown }[];
  requestBody?: { description?: string; content: Record<string, { schema?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: unknown }> }>;
}

/**
 * The reference for people: one page made of the document, without a script, a font or anything else from another server, so that
 * it is there where the service is, also without a network, and allows nothing to run.
 */
export function referencePage(document: ApiDocument): string {
  const { info, tags = [], paths = {}, components = {} } = document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Described | undefined;
      return operation ? [{ method, path, operation }] : [];
    }),
  );
  const sections = tags.map(({ name, description = "" }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    return `<h2 id="${text(name)}">${text(name)}</h2><p>${text(description)}</p>${own.map(operationHtml).join("")}`;
  });
  const schemas = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${text(name)}"><summary>${text(name)}</summary>${schemaHtml(schema)}</details>`,
  );
  const links = [...tags.map(({ name }) => name), "Schemas"];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(info.title)} API</title><style>${STYLE}</style>
<h1>${text(info.title)} API <small>${text(info.version)}</small></h1>
<p>${text(info.description ?? "")} The same for programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav>${links.map((name) => `<a href="#${text(name)}">${text(name)}</a>`).join("")}</nav>
${sections.join("")}<h2 id="Schemas">Schemas</h2>${schemas.join("")}</html>`;
}

function operationHtml({ method, path, operation }: { method: string; path: string; operation: Described }): string {
  const { operationId = "", summary = "", security, parameters = [], requestBody, responses } = operation;
  const scope = security?.[0]?.apiKey?.[0];
  const rows = parameters.map(
    (one) =>
      `<tr><td><code>${text(one.name)}</code><td>${text(one.in)}${one.required ? ", required" : ""}<td>${text(one.description ?? typeName(one.schema))}`,
  );
  const body = requestBody
    ? `<p>Body: ${text(requestBody.description ?? "")}</p>${contentHtml(requestBody.content)}`
    : "";
  const answers = Object.entries(responses).map(
    ([status, { description, content }]) =>
      `<p><code>${text(status)}</code> ${text(description)}</p>${/^2/.test(status) && content ? contentHtml(content) : ""}`,
  );
  return `<details id="${text(operationId)}"><summary><b>${method.toUpperCase()}</b> <code>${text(path)}</code> ${text(summary)}</summary>
<p>${scope === undefined ? "No key" : `Scope <code>${text(scope)}</code>`} · <code>${text(operationId)}</code></p>
${rows.length > 0 ? `<table>${rows.join("")}</table>` : ""}${body}${answers.join("")}</details>`;
}

function contentHtml(content: Record<string, { schema?: unknown }>): string {
  return Object.values(content)
    .map(({ schema }) => schemaHtml(schema))
    .join("");
}

function schemaHtml(schema: unknown): string {
  const linked = text(JSON.stringify(schema, null, 2) ?? "").replace(
    /#\/components\/schemas\/(\w+)/g,
    (whole, name: string) => `<a href="#schema-${name}">${whole}</a>`,
  );
  return `<pre>${linked}</pre>`;
}

function typeName(schema: unknown): string {
  return String((schema as { type?: unknown } | undefined)?.type ?? "");
}

/** Text as HTML, also within an attribute's quotes. */
function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
