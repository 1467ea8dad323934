// Serves OpenAI's `POST /v1/embeddings` in a separate process, so that its work does not count as
// the service's:
//
//   node bench/support/fake-provider.ts instant|clustered
//
// `instant` answers requests of many texts with vectors serialised beforehand; `clustered` computes
// each text's vector. Sends its URL to the parent. BENCH_PROVIDER_TEXT_MS is the delay of an answer
// for each of its texts, as with a model that reads one text after the other.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { vectorOf, vectorPool } from "./fake-vectors.ts";

const pooled = process.argv[2] === "instant";
const pools = new Map<number, string[]>();

/** Serialises a vector as providers do. */
function serialise(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toPrecision(8)).join(",")}]`;
}

function poolOf(dimensions: number): string[] {
  const pool = pools.get(dimensions) ?? vectorPool(dimensions).map(serialise);
  pools.set(dimensions, pool);
  return pool;
}

let next = 0;
function answer({ input, dimensions = 1536 }: { input: string[]; dimensions?: number }): string {
  const data = input.map((text, index) => {
    // A question is sent alone. A vector from the pool would equal the vectors of a hundred chunks.
    const pool = pooled && input.length > 1 ? poolOf(dimensions) : undefined;
    const vector = pool ? pool[next++ % pool.length] : serialise(vectorOf(text, dimensions));
    return `{"object":"embedding","index":${index},"embedding":${vector}}`;
  });
  return `{"object":"list","data":[${data.join(",")}],"model":"fake","usage":{"prompt_tokens":1,"total_tokens":1}}`;
}

const textMs = Number(process.env.BENCH_PROVIDER_TEXT_MS ?? 0);
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const question = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (textMs > 0) await sleep(textMs * question.input.length);
  const body = answer(question);
  response.writeHead(200, { "content-type": "application/json" }).end(body);
});
if (pooled) for (const dimensions of [384, 1536]) poolOf(dimensions);
// The port is fixed: an agent that an earlier run has filled matches this run's model only if the
// provider's address is the same.
server.listen(Number(process.env.BENCH_PROVIDER_PORT ?? 7471), "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
});
process.on("disconnect", () => process.exit());
