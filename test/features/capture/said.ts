import type { CaptureOutput } from "../../../src/service/facts/captured-facts.ts";
import type { FactApp } from "../../support/fact-app.ts";

/** The actions that tests of capture repeat. `app` returns the app, because a suite starts it later. */
export function capturing(app: () => FactApp) {
  return {
    /** Captures the facts of a user's message, or of several messages in one call. */
    say: async (agent: string, said: string | readonly string[], more: object = {}): Promise<CaptureOutput> => {
      const messages = [said].flat().map((content) => ({ role: "user", content }));
      return send(app(), agent, { messages, ...more });
    },
    /** Captures the facts of messages, each in a call of its own, with its time. */
    sayAt: async (agent: string, told: readonly (readonly [at: string, content: string])[]): Promise<void> => {
      for (const [at, content] of told) await send(app(), agent, { messages: [{ role: "user", content, at }] });
    },
    /** Returns the texts of the facts that hold, sorted. */
    held: async (agent: string): Promise<string[]> => (await app().list(agent)).map((fact) => fact.text).sort(),
  };
}

async function send(app: FactApp, agent: string, input: object): Promise<CaptureOutput> {
  const { status, body } = await app.call<CaptureOutput>("POST", `/v1/agents/${agent}/capture`, input);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
