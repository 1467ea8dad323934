import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockFolder } from "../../src/db/folder-lock.ts";
import { advertise, serverOfFolder } from "../../src/wiring/running-server.ts";

test("a folder's server is the one that has it open now: not one that was killed, nor a command that serves nobody", () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-folder-"));
  expect(serverOfFolder(join(folder, "none"))).toBeUndefined();
  const lock = lockFolder(folder);
  expect(serverOfFolder(folder)).toBeUndefined();
  advertise(folder, "http://127.0.0.1:7420");
  expect(serverOfFolder(folder)).toBe("http://127.0.0.1:7420");
  lock.release();
  expect(serverOfFolder(folder)).toBeUndefined();
  // Looking did not lock the folder.
  lockFolder(folder).release();
  rmSync(folder, { recursive: true });
});
