import { afterAll, beforeAll, describe, expect, type TestOptions, test } from "vitest";
import { type DocBlock, isOutput } from "./doc-blocks.ts";
import { type DocRunner, isServer, startDocRunner } from "./doc-runner.ts";
import { needsPackagesOf, needsPython } from "./needs.ts";

const PROGRAMS = ["sh", "ts", "python"] as const;

/** Whether a block is a program. Other blocks are a program's output or its input. */
export function isRun({ language, notRun }: DocBlock): boolean {
  return PROGRAMS.some((one) => one === language) && notRun === undefined;
}

/**
 * Defines a test, on the embedded database, for each block that runs and for each block that shows
 * the output of the one above it.
 */
export function runDocuments(documents: readonly { file: string; blocks: readonly DocBlock[] }[]): void {
  for (const { file, blocks } of documents)
    if (blocks.some(isRun)) describe(`${file}, from top to bottom`, () => runDocument(blocks));
}

/** The examples that need the frameworks of test/adapters, as a block runs them. */
const EXAMPLES = /\bnode examples\/(ai-sdk|langchain|mastra|openai-agents)\.ts\b/;

function needsOf({ language, text }: DocBlock): TestOptions {
  if (EXAMPLES.test(text)) return needsPackagesOf("test/adapters");
  return language === "python" ? needsPython() : {};
}

function runDocument(blocks: readonly DocBlock[]): void {
  let runner: DocRunner;
  const written = new Map<DocBlock, string>();
  beforeAll(async () => {
    runner = startDocRunner();
    // A document that starts no server itself expects one to be running.
    const needsServer = blocks.some(
      (block) => isRun(block) && `${block.given} ${block.text}`.includes("http://127.0.0.1"),
    );
    if (needsServer && !blocks.some((block) => isRun(block) && isServer(block.text)))
      await runner.sh("recollect serve");
  });
  afterAll(() => runner.close());

  for (const block of blocks.filter((one) => one.notRun === undefined)) {
    const { at, language, text, given, under } = block;
    if (isRun(block))
      test(`${at} runs`, needsOf(block), async () => {
        if (given !== undefined) await runner.sh(given);
        written.set(block, await runner[language as (typeof PROGRAMS)[number]](text));
      });
    else if (under && isRun(under))
      test(`${at} is what ${under.at} writes`, needsOf(under), () => {
        const output = written.get(under) ?? "";
        expect(isOutput(text, output), `shown:\n${text}\n\nwritten:\n${output}`).toBe(true);
      });
  }
}
