import { DEFAULT_TENANT_ID } from "../../src/db/control/tenants.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import { maintainIndex } from "../../src/service/indexing/maintain-index.ts";
import type { TestApp } from "./test-app.ts";

const FILES_PER_WRITE = 100;

/**
 * Writes many files to the agent `main`, and runs the maintenance that counts and packs their
 * words.
 */
export async function makeCountedIndex(
  app: TestApp,
  files: readonly { path: string; content: string }[],
): Promise<void> {
  for (let at = 0; at < files.length; at += FILES_PER_WRITE)
    await app.call("POST", "/v1/agents/main/files", { put: files.slice(at, at + FILES_PER_WRITE) });
  await maintainIndex(app.runtime.deps, jobCaller(DEFAULT_TENANT_ID), "main");
}
