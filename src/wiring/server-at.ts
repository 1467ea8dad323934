import { isObject } from "../base/objects.ts";

/** A server on this machine answers in milliseconds, unless the machine is busy. */
const ASK_MS = 2000;

/** Returns the Recollect server that listens on a port of this machine, if one does. */
export async function serverAt(port: number): Promise<{ url: string; version: string } | undefined> {
  const url = `http://127.0.0.1:${port}`;
  try {
    const headers = { accept: "application/json" };
    const answer = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(ASK_MS) });
    const index: unknown = await answer.json();
    if (!isObject(index) || index.name !== "recollect") return undefined;
    return { url, version: typeof index.version === "string" ? index.version.slice(0, 40) : "of unknown version" };
  } catch {
    return undefined;
  }
}
