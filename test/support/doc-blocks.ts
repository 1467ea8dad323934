import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a document. */
export interface DocBlock {
  /** The position of its fence, such as `README.md:25`. */
  readonly at: string;
  readonly language: string;
  readonly text: string;
  /**
   * A shell script of `<!-- given: … -->` before the fence. It prepares what a reader is expected
   * to have.
   */
  readonly given: string | undefined;
  /** The text of `<!-- not run: … -->` before the fence. */
  readonly notRun: string | undefined;
  /** The block directly above this one, if this block shows its output. */
  readonly under: DocBlock | undefined;
}

/** Returns the documents whose blocks must run: both README.md files and all of docs/. */
export function documents(): string[] {
  const inDocs = readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => join("docs", name));
  return ["README.md", "clients/python/README.md", ...inDocs.filter((name) => name.endsWith(".md")).sort()];
}

/** @throws Error if a fence is not closed, because the rest of the document would be skipped */
export function readBlocks(file: string, markdown = readFileSync(file, "utf8")): DocBlock[] {
  const lines = markdown.split("\n");
  const blocks: DocBlock[] = [];
  let lastEnd = -1;
  for (let start = 0; start < lines.length; start++) {
    const [, indent = "", fence, language = ""] = /^( *)(`{3,})\s*(\w*)/.exec(lines[start] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.indexOf(`${indent}${fence}`, start + 1);
    if (end < 0) throw new Error(`${file}:${start + 1} opens a code block that nothing closes.`);
    const before = lines.slice(lastEnd + 1, start).join("\n");
    blocks.push({
      at: `${file}:${start + 1}`,
      language,
      text: lines
        .slice(start + 1, end)
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join("\n"),
      given: /<!-- given:\s*([\s\S]*?)\s*-->\s*$/.exec(before)?.[1],
      notRun: /<!-- not run:\s*([\s\S]*?)\s*-->\s*$/.exec(before)?.[1],
      under: lastEnd >= 0 && before.trim() === "" ? blocks.at(-1) : undefined,
    });
    lastEnd = end;
    start = end;
  }
  return blocks;
}

/** Whether a program wrote what the document shows; `…` stands for any text. */
export function isOutput(shown: string, written: string): boolean {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const tidy = (text: string) => text.replace(/[^\S\n]+$/gm, "").trim();
  return new RegExp(`^${tidy(shown).split("…").map(literal).join("[\\s\\S]*?")}$`).test(tidy(written));
}
