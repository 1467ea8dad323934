import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileName = "server.json";

/** Notes beside an embedded database which URL serves it, so that CLI commands find the process that owns the folder. */
export function advertise(dataDir: string, url: string): () => void {
  const file = join(dataDir, fileName);
  writeFileSync(file, JSON.stringify({ url }));
  return () => rmSync(file, { force: true });
}

/** The URL a running server noted; it may be left over from one that was killed. */
export function advertisedUrl(dataDir: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(join(dataDir, fileName), "utf8")) as { url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined;
  }
}
