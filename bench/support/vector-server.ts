import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";

/** Vectors by text. */
export type KnownVectors = ReadonlyMap<string, Float32Array>;

/**
 * Serves OpenAI's `POST /v1/embeddings` with known vectors. Ignores blanks at the ends of a text,
 * and looks for an unknown text again without its first line, where services put headings or a
 * title. If that fails, the built-in model embeds the text, and the text is counted.
 */
export async function serveVectors(known: KnownVectors) {
  const trimmed = new Map([...known].map(([text, vector]) => [text.trim(), vector]));
  const embedder = new BuiltinEmbedder({ cacheDir: join(tmpdir(), "recollect-bench-vectors") });
  let unknown = 0;
  const vectorOf = async (text: string): Promise<Float32Array> => {
    const rest = text.slice(text.indexOf("\n") + 1);
    const found = trimmed.get(text.trim()) ?? trimmed.get(rest.trim());
    if (found) return found;
    unknown++;
    const [made] = await embedder.embed([text], "document");
    return made ?? new Float32Array(embedder.dimensions);
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const asked = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
      input: string | string[];
      encoding_format?: string;
    };
    const vectors = await Promise.all([asked.input].flat().map(vectorOf));
    const write = (vector: Float32Array) =>
      asked.encoding_format === "base64"
        ? Buffer.from(Float32Array.from(vector).buffer).toString("base64")
        : [...vector];
    const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data, model: "known", usage }));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, unknown: () => unknown, close: () => server.close() };
}
