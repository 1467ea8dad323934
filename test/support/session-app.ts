import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import type { AppendedMessages } from "../../src/service/sessions/commit-messages.ts";
import type { SessionPage } from "../../src/service/sessions/read-sessions.ts";
import { type Answer, type ErrorBody, startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";
import { until } from "./until.ts";

export interface TestMessage {
  id?: string;
  role?: string;
  name?: string;
  text: string;
  at?: string;
  originClass?: string;
}

export interface SessionApp extends TestApp {
  /** Creates an agent that searches its sessions. */
  talker(id: string, settings?: Record<string, unknown>): Promise<void>;
  append(
    agent: string,
    session: string,
    messages: readonly (string | TestMessage)[],
    more?: Record<string, unknown>,
  ): Promise<Answer<AppendedMessages>>;
  status(agent: string): Promise<AgentStatus>;
  /** Asks for a sync and resolves when all messages are indexed and embedded. */
  synced(agent: string): Promise<void>;
  page(agent: string, session: string, query?: string): Promise<SessionPage>;
  /** Returns the windows of a session in the active index, in order. */
  windows(agent: string, session: string): Promise<Window[]>;
}

export interface Window {
  ordinal: number;
  first: number;
  last: number;
  startLine: number;
  endLine: number;
  text: string;
}

/** Starts an app with the actions that tests of sessions repeat. */
export async function startSessionApp(options: TestAppOptions = {}): Promise<SessionApp> {
  const app = await startTestApp(options);
  const path = (agent: string, session: string) => `/v1/agents/${agent}/sessions/${encodeURIComponent(session)}`;
  const status = async (agent: string) => (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;
  return {
    ...app,
    status,
    talker: async (id, settings = {}) => {
      const body = { id, settings: { sources: ["memory", "sessions"], ...settings } };
      const made = await app.call<ErrorBody>("POST", "/v1/agents", body);
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    },
    append: (agent, session, messages, more = {}) =>
      app.call<AppendedMessages>("POST", `${path(agent, session)}/messages`, {
        messages: messages.map((one) =>
          typeof one === "string" ? { role: "user", text: one } : { role: "user", ...one },
        ),
        ...more,
      }),
    synced: async (agent) => {
      await app.call("POST", `/v1/agents/${agent}/sync`, {});
      await until(async () => !(await status(agent)).dirty);
    },
    page: async (agent, session, query = "") => (await app.call<SessionPage>("GET", path(agent, session) + query)).body,
    windows: async (agent, session) => {
      const { rows: agents } = await app.db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
        [agent],
      );
      const schema = agents[0]?.schema;
      const { rows } = await app.db.executeSql<{ id: number }>(
        `SELECT id FROM ${schema}.generations WHERE status = 'active'`,
      );
      const chunks = await app.db.executeSql<Window>(
        `SELECT c.ordinal, c.first_message AS first, c.last_message AS last, c.start_line AS "startLine",
                c.end_line AS "endLine", c.text
           FROM ${schema}.chunks_${rows[0]?.id} c JOIN ${schema}.sessions s ON s.id = c.session_id
          WHERE s.key = $1 ORDER BY c.ordinal, c.start_line, c.end_line, c.text`,
        [session],
      );
      return chunks.rows;
    },
  };
}
