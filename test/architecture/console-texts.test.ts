import { globSync, readFileSync } from "node:fs";
import { parseAst } from "vite";
import { expect, test } from "vitest";

type Node = { type: string; start: number } & Record<string, unknown>;

/** Attributes that are seen or heard, of elements and of the console's own components. */
const SHOWN = new Set(["aria-label", "title", "label", "placeholder", "alt", "what", "action", "message", "empty"]);

test("texts of the console stand in its texts, none in its pages", () => {
  const files = globSync("console/src/**/*.tsx");
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => literalTexts(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`))).toEqual(
    [],
  );
});

test("a text in a page would be found", () => {
  const page = `const a = <p title="A title" className="quiet">{count} hits <b aria-label={texts.a}>{"…"} · K</b></p>;
    const c = <i className={open ? "flex Gap" : cn("grid gap-2", "Row")} />;
    const b = { Size: () => size, [texts.columns.name]: name, kind: done ? "Done" : "not yet", at: \`of \${a}, to\` };`;
  expect(literalTexts(page)).toEqual(["A title", "hits", "Size", "Done", "not yet", "of", ", to"]);
});

/**
 * Returns the words between tags and in shown attributes, and everything else in the code that
 * reads like a text.
 */
function literalTexts(code: string): string[] {
  return nodesOf(parseAst(code, { lang: "tsx" }) as unknown as Node)
    .sort((a, b) => a.start - b.start)
    .flatMap((node) => {
      const text = node.type === "JSXText" ? node.value : (shownValue(node) ?? likeText(node));
      return typeof text === "string" && /\p{L}{2}/u.test(text) ? [text.trim()] : [];
    });
}

/** Literals in the console's code that no user reads. */
const NO_TEXTS = [
  ...["Enter", "Escape", "Backspace"],
  ...["Etc/UTC", "noopener noreferrer nofollow", "export RECOLLECT_API_KEY=", "Recollect-Tenant"],
  "A page was shown without a connection.",
];

/**
 * Returns a literal or a property name with a capital letter or a space, or the words of a
 * template. The head of a table is such a name.
 */
function likeText(node: Node): string | undefined {
  const read: Record<string, () => unknown> = {
    Literal: () => node.value,
    TemplateElement: () => (node.value as { raw: string }).raw,
    Property: () => !node.computed && (node.key as Node).type === "Identifier" && (node.key as Node).name,
  };
  const words = read[node.type]?.();
  if (typeof words !== "string" || NO_TEXTS.includes(words)) return undefined;
  const pattern = node.type === "TemplateElement" ? /\p{L}{2,}[ ,:]|[ ]\p{L}{2,}/u : /^\p{Lu}\p{Ll}|\p{L} \p{L}/u;
  return pattern.test(words) ? words : undefined;
}

function shownValue({ type, name, value }: Node): unknown {
  if (type !== "JSXAttribute" || !SHOWN.has(String((name as Node).name))) return undefined;
  return (value as Node | null)?.type === "Literal" ? (value as Node).value : undefined;
}

/** Returns whether a node lists classes of the stylesheet: an attribute, a call or a constant. */
function namesClasses({ type, name, callee, id }: Node): boolean {
  if (type === "JSXAttribute") return ["className", "d"].includes(String((name as Node).name));
  if (type === "CallExpression") return (callee as Node).name === "cn";
  return type === "VariableDeclarator" && /^[A-Z_]+_CLASS$/.test(String((id as Node).name));
}

function nodesOf(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.values(value).flatMap(nodesOf);
  const { type } = value as Node;
  // Skips imports and the names of classes, and of an attribute returns only the part that
  // `shownValue` reads.
  if (type === "ImportDeclaration" || namesClasses(value as Node)) return [];
  if (type === "JSXAttribute" && (value as Node & { value?: Node }).value?.type === "Literal") return [value as Node];
  return typeof type === "string" ? [value as Node, ...below] : below;
}
