import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createWatchFilter } from "../../src/cli/folder/watch-filter.ts";
import { startSource, type WatchSource } from "../../src/cli/folder/watch-source.ts";
import { until } from "../support/until.ts";

let root: string;
let source: WatchSource | undefined;
let changed: Set<string>;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "recollect-source-")));
  changed = new Set();
});

afterEach(async () => {
  await source?.close();
  rmSync(root, { recursive: true, force: true });
});

async function start(pollMs?: number): Promise<void> {
  const ignored = createWatchFilter(root, ["*.txt"]);
  const onTrouble = (error: unknown) => {
    throw error;
  };
  const options = { ignored, pollMs, onChange: (path: string) => changed.add(path), onTrouble };
  source = await startSource(root, options, new AbortController().signal);
}

for (const [name, pollMs] of [
  ["told by the system", undefined],
  ["polled", 20],
] as const) {
  test(`${name}: what comes, changes and goes is reported, what was there and what is ignored is not`, async () => {
    mkdirSync(join(root, "node_modules/x"), { recursive: true });
    mkdirSync(join(root, "cafe\u0301"));
    for (const path of ["still.md", "changes.md", "goes.md", ".gitignore"]) writeFileSync(join(root, path), "1");
    await start(pollMs);
    writeFileSync(join(root, "node_modules/x/a.md"), "no");
    for (const path of ["code.ts", "a.txt", ".#lock.md"]) writeFileSync(join(root, path), "no");
    writeFileSync(join(root, "changes.md"), "longer");
    writeFileSync(join(root, "cafe\u0301/comes.md"), "2");
    writeFileSync(join(root, ".gitignore"), "*.org");
    rmSync(join(root, "goes.md"));
    const expected = ["changes.md", "caf\u00e9/comes.md", ".gitignore", "goes.md"];
    await until(() => expected.every((path) => changed.has(path)));
    expect([...changed].filter((path) => !expected.includes(path))).toEqual([]);
  });
}
