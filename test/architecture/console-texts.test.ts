import { globSync, readFileSync } from "node:fs";
import { parseAst } from "vite";
import { expect, test } from "vitest";

type Node = { type: string; start: number } & Record<string, unknown>;

/** Attributes that are seen or heard, of elements and of the console's own components. */
const SHOWN = new Set(["aria-label", "title", "label", "placeholder", "alt", "what", "action", "message", "empty"]);

test("texts of the console stand in its texts and sentences, none in its pages", () => {
  const files = globSync("console/src/**/*.tsx");
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => literalTexts(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`))).toEqual(
    [],
  );
});

test("a text in a page would be found", () => {
  const page = `const a = <p title="A title" className="quiet">{count} hits <b aria-label={texts.a}>{"…"} · K</b></p>;`;
  expect(literalTexts(page)).toEqual(["A title", "hits"]);
});

/** Words that stand between tags or in attributes that are shown. */
function literalTexts(code: string): string[] {
  return nodesOf(parseAst(code, { lang: "tsx" }) as unknown as Node)
    .sort((a, b) => a.start - b.start)
    .flatMap((node) => {
      const text = node.type === "JSXText" ? node.value : shownValue(node);
      return typeof text === "string" && /\p{L}{2}/u.test(text) ? [text.trim()] : [];
    });
}

function shownValue({ type, name, value }: Node): unknown {
  if (type !== "JSXAttribute" || !SHOWN.has(String((name as Node).name))) return undefined;
  return (value as Node | null)?.type === "Literal" ? (value as Node).value : undefined;
}

function nodesOf(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.values(value).flatMap(nodesOf);
  return typeof (value as Node).type === "string" ? [value as Node, ...below] : below;
}
