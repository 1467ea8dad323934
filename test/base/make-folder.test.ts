import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../../src/base/make-folder.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-folder-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test("makes the folders above too, with their mode, and leaves a folder that is there", () => {
  const folder = join(home, "a/b/c");
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(join(home, "a")).mode & 0o777).toBe(0o700);
});

test("a file in the place of the folder, or of one above it", () => {
  const file = join(home, "file");
  writeFileSync(file, "x");
  expect(() => makeFolder(file)).toThrow(/EEXIST/);
  expect(() => makeFolder(join(file, "below/it"))).toThrow(/ENOTDIR/);
});

test.runIf(existsSync("/proc/self"))("a file system that takes no folder answers at once", () => {
  expect(() => makeFolder("/proc/recollect/data")).toThrow(/ENOENT|EACCES/);
});
