import { type Listener, listen } from "../../src/http/listen.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";

/** The service, listening on a port for a browser. */
export interface ConsoleApp extends TestApp {
  /** The URL of the console. */
  console: string;
}

/** Starts a service without a provider, and a listener for it; `drop` ends both. */
export async function startConsoleApp(options: TestAppOptions = {}): Promise<ConsoleApp> {
  const app = await startTestApp({ embedder: undefined, ...options });
  const listener: Listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  return {
    ...app,
    console: `${listener.url}/console/`,
    drop: async () => {
      await listener.close();
      await app.drop();
    },
  };
}

const FILES_OF_A_BATCH = 100;
const MESSAGES_OF_A_CALL = 500;

/**
 * Fills an agent with short files of a chunk each, a long file, conversations, and facts; one fact
 * replaced another.
 */
export async function fillAgent(app: TestApp, agent: string, files: number): Promise<void> {
  const at = `/v1/agents/${agent}`;
  for (let from = 0; from < files; from += FILES_OF_A_BATCH) {
    const put = Array.from({ length: Math.min(FILES_OF_A_BATCH, files - from) }, (_, offset) => {
      const number = String(from + offset).padStart(5, "0");
      return {
        path: `notes/${number.slice(0, 2)}/${number}.md`,
        content: `# Note ${number}\n\nShelf ${number} holds the parts of pump ${from + offset + 7}.\n`,
      };
    });
    await expectDone(app.call("POST", `${at}/files`, { put }));
  }
  const sections = Array.from(
    { length: 40 },
    (_, number) => `## Part ${number}\n\n${"Water flows downhill. ".repeat(40)}\n`,
  );
  await expectDone(app.call("PUT", `${at}/files/long.md`, { content: `# A long text\n\n${sections.join("\n")}` }));
  const messages = Array.from({ length: MESSAGES_OF_A_CALL }, (_, number) => ({
    role: number % 2 === 0 ? "user" : "assistant",
    text: `Message ${number}: the pump of shelf ${number} hums.`,
  }));
  await expectDone(app.call("POST", `${at}/sessions/slack:C042/messages`, { messages, capture: false }));
  const facts = [{ text: "The boiler is serviced in May.", key: "boiler.service", importance: 0.8 }];
  await expectDone(app.call("POST", `${at}/facts`, { facts }));
  await expectDone(
    app.call("POST", `${at}/facts`, { facts: [{ text: "The boiler is serviced in June.", key: "boiler.service" }] }),
  );
}

async function expectDone(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
}
