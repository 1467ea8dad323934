import type { Fact, StoredFact } from "../../src/service/facts/fact-schemas.ts";
import type { FactInput } from "../../src/service/facts/store-facts.ts";
import type { RecallOutput } from "../../src/service/search/recall-memory.ts";
import type { FactSearchOutput } from "../../src/service/search/search-facts.ts";
import { type Answer, startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";

export interface FactApp extends TestApp {
  /** Stores facts and returns the outcome for each. */
  store(agent: string, ...facts: (string | FactInput)[]): Promise<StoredFact[]>;
  /** Searches and returns the texts of the hits, best first. */
  found(agent: string, query: string, more?: Record<string, unknown>): Promise<string[]>;
  searchFacts(agent: string, query: string, more?: Record<string, unknown>): Promise<FactSearchOutput>;
  recall(agent: string, message: string, more?: Record<string, unknown>): Promise<RecallOutput>;
  fact(agent: string, id: string): Promise<Answer<Fact>>;
  history(agent: string, id: string): Promise<Fact[]>;
  list(agent: string, query?: string): Promise<Fact[]>;
  usage(agent: string): Promise<Record<string, number>>;
}

/** Starts an app with the actions that tests of facts repeat. */
export async function startFactApp(options: TestAppOptions = {}): Promise<FactApp> {
  const app = await startTestApp(options);
  const path = (agent: string, rest: string) => `/v1/agents/${agent}/${rest}`;
  const ok = async <T>(answer: Promise<Answer<T>>): Promise<T> => {
    const { status, body } = await answer;
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };
  const searchFacts = (agent: string, query: string, more = {}) =>
    ok(app.call<FactSearchOutput>("POST", path(agent, "facts/search"), { query, ...more }));
  return {
    ...app,
    searchFacts,
    store: async (agent, ...facts) => {
      const body = { facts: facts.map((one) => (typeof one === "string" ? { text: one } : one)) };
      return (await ok(app.call<{ facts: StoredFact[] }>("POST", path(agent, "facts"), body))).facts;
    },
    found: async (agent, query, more = {}) =>
      (await searchFacts(agent, query, { minScore: 0, ...more })).facts.map((fact) => fact.text),
    recall: (agent, message, more = {}) => ok(app.call("POST", path(agent, "recall"), { message, ...more })),
    fact: (agent, id) => app.call<Fact>("GET", path(agent, `facts/${id}`)),
    history: async (agent, id) =>
      (await ok(app.call<{ facts: Fact[] }>("GET", path(agent, `facts/${id}/history`)))).facts,
    list: async (agent, query = "") =>
      (await ok(app.call<{ facts: Fact[] }>("GET", path(agent, `facts${query}`)))).facts,
    usage: async (agent) =>
      (await ok(app.call<{ usage: Record<string, number> }>("GET", path(agent, "").slice(0, -1)))).usage,
  };
}
