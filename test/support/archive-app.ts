import { gunzipSync, gzipSync } from "node:zlib";
import { type FactApp, startFactApp } from "./fact-app.ts";
import type { Answer, ErrorBody, TestAppOptions } from "./test-app.ts";

/** A line of an archive, as any author may write it. */
export type AnyLine = Record<string, unknown>;

export interface ArchiveApp extends FactApp {
  export(agent: string, query?: string): Promise<Buffer>;
  import<T = ErrorBody>(archive: Uint8Array, query?: string, key?: string): Promise<Answer<T>>;
}

/** Starts an app with the actions that tests of archives repeat. */
export async function startArchiveApp(options: TestAppOptions = {}): Promise<ArchiveApp> {
  const app = await startFactApp(options);
  return {
    ...app,
    export: async (agent, query = "") => {
      const response = await app.runtime.app.request(`/v1/agents/${agent}/archive${query}`);
      if (response.status !== 200) throw new Error(await response.text());
      return Buffer.from(await response.arrayBuffer());
    },
    import: async <T>(archive: Uint8Array, query = "", key?: string) => {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const headers: Record<string, string> = { "content-type": "application/gzip", ...authorization };
      const init = { method: "POST", headers, body: new Uint8Array(archive) };
      const response = await app.runtime.app.request(`/v1/archives${query}`, init);
      return { status: response.status, body: (await response.json()) as T };
    },
  };
}

export function readLines(archive: Uint8Array): AnyLine[] {
  const text = gunzipSync(archive).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AnyLine);
}

export function writeLines(lines: readonly unknown[]): Buffer {
  return gzipSync(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
}
