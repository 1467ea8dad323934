import { afterEach, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** An embedder that counts the calls for queries and has the given provider's name. */
class Counted extends WordEmbedder {
  override readonly provider: string;
  queries = 0;
  constructor(provider: string) {
    super();
    this.provider = provider;
  }
  override async embed(texts: readonly string[], inputType: "query" | "document", signal?: AbortSignal) {
    if (inputType === "query") this.queries++;
    return super.embed(texts, inputType, signal);
  }
}

let app: SessionApp;
afterEach(() => app.drop());

test("the first message of a session loads a model of this process, once for all sessions and agents", async () => {
  const embedder = new Counted("builtin");
  app = await startSessionApp({ worker: false, embedder });
  await app.talker("a");
  await app.append("a", "web:1", ["hello"]);
  await until(async () => embedder.queries === 1);
  await app.append("a", "web:2", ["hello"]);
  await app.talker("b");
  await app.append("b", "web:1", ["hello"]);
  await app.search("anything", {}, "b");
  expect(embedder.queries).toBe(2);
});

test("it asks nothing of a provider that bills each text, and nothing with sync.onSessionStart off", async () => {
  const remote = new Counted("openai");
  app = await startSessionApp({ worker: false, embedder: remote });
  await app.talker("a");
  await app.append("a", "web:1", ["hello"]);
  await app.drop();
  expect(remote.queries).toBe(0);

  const local = new Counted("local");
  app = await startSessionApp({ worker: false, embedder: local });
  await app.talker("a", { sync: { onSessionStart: false } });
  await app.append("a", "web:1", ["hello"]);
  await app.search("anything", {}, "a");
  expect(local.queries).toBe(1);
});
