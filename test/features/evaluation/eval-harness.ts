import type { CliContext } from "../../../src/cli/shell/context.ts";
import type { EvalReport } from "../../../src/features/evaluation/commands/eval-report.ts";
import { type Ran, startCliHarness } from "../../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

export const GARDEN = [
  {
    id: "beds/1",
    title: "Raised beds",
    text: "The raised beds are filled with compost and get water twice a week.",
    date: "2026-03-01",
  },
  { id: "hose", text: "The green hose leaks at the coupling; the spare washer is in the tin." },
  { id: "slugs", text: "Copper tape around the pots keeps the slugs away from the lettuce." },
  { id: "shed", text: "The shed's padlock opens with 4-7-1. Oil it before winter." },
  { id: "seeds", text: "Tomato seeds go into the warm room in March, beans straight into the ground in May." },
  { id: "frost", text: "When frost is announced the lemon tree comes inside the stairwell." },
];
/** Makes a document long enough for several hits. */
const repeated = (text: string) => Array.from({ length: 120 }, (_, i) => `${text}, ${i}.`).join(" ");

const BAND = [
  { id: "set", text: "We open with the slow waltz and close with the polka." },
  { id: "amp", text: "The bass amplifier hums when the fridge shares its socket." },
  { id: "van", text: "The van needs 2.30 metres of height and does not fit the garage in Lindau." },
  {
    id: "keys",
    title: "Keys",
    text: `${repeated("The organ player needs a second stool")}\n\n${repeated("Spare keys of the organ hang here")}`,
  },
  { id: "fee", text: "Half the fee is paid before the concert, in cash." },
  { id: "hats", text: "Red hats at weddings, black ones at funerals." },
];
const QUERIES = [
  { id: "g1", scope: "Garden Club", text: "how do I keep slugs from the lettuce" },
  { id: "g2", scope: "Garden Club", text: "which number opens the padlock" },
  { id: "b1", scope: "band", text: "why does the amplifier hum" },
  { id: "b2", scope: "band", text: "organ stool" },
  { id: "b3", scope: "band", text: "what nobody judged" },
];
const QRELS = "query-id\tcorpus-id\tscore\ng1\tslugs\t2\ng2\tshed\t1\nb1\tamp\t1\nb2\tkeys\t1\nb3\tfee\t0\n";

export interface EvalRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

export interface EvalHarness {
  app: TestApp;
  folder: string;
  /** The requests of the last command. */
  requests: EvalRequest[];
  /** Replaces the app's answer, or changes the request to the app. `reset` undoes it. */
  through: (request: EvalRequest, next: (body?: object) => Promise<Response>) => Promise<Response>;
  reset(): void;
  write(path: string, content: string): void;
  /**
   * Writes a data set of two scopes with six documents each, and five queries; four queries count.
   */
  writeSet(folder: string, garden?: readonly object[]): void;
  /** Runs `recollect eval …` in `folder`; with a key, as its holder. */
  evaluate(argv: string[], overrides?: Partial<CliContext> & { key?: string }): Promise<Ran>;
  /** Runs the same with `--json`; the command must succeed. */
  report(...argv: string[]): Promise<EvalReport>;
  /** Returns an agent's own settings. */
  settings(agent: string): Promise<object>;
  close(): Promise<void>;
}

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Starts `recollect eval` on a real app. */
export async function startEvalHarness(): Promise<EvalHarness> {
  const app = await startTestApp();
  const cli = await startCliHarness();
  const connectWith =
    (key?: string): CliContext["connect"] =>
    async () => ({
      fetch: async (path, init) => {
        const body = JSON.parse(String(init?.body ?? "{}")) as Record<string, unknown>;
        const request = { method: init?.method ?? "GET", path, body };
        harness.requests.push(request);
        const headers = new Headers(init?.headers);
        if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
        return harness.through(request, async (instead) =>
          app.runtime.app.request(path, { ...init, headers, ...(instead && { body: JSON.stringify(instead) }) }),
        );
      },
      close: async () => undefined,
      description: "the app of this test",
    });
  const harness: EvalHarness = {
    app,
    folder: cli.folder,
    requests: [],
    write: cli.write,
    through: (_request, next) => next(),
    reset: () => {
      harness.through = (_request, next) => next();
      harness.writeSet("set");
    },
    writeSet: (folder, garden = GARDEN) => {
      const scoped = [
        ...garden.map((one) => ({ ...one, scope: "Garden Club" })),
        ...BAND.map((one) => ({ ...one, scope: "band" })),
      ];
      cli.write(`${folder}/corpus.jsonl`, lines(scoped));
      cli.write(`${folder}/queries.jsonl`, lines(QUERIES));
      cli.write(`${folder}/qrels.tsv`, QRELS);
    },
    evaluate: (argv, { key, ...overrides } = {}) => {
      harness.requests = [];
      return cli.run(["eval", ...argv], { connect: connectWith(key), ...overrides });
    },
    report: async (...argv) => {
      const { code, out, err } = await harness.evaluate([...argv, "--json"]);
      if (code !== 0) throw new Error(err);
      return JSON.parse(out) as EvalReport;
    },
    settings: async (agent) => (await app.call<{ settings: object }>("GET", `/v1/agents/${agent}`)).body.settings,
    close: async () => {
      await cli.close();
      await app.drop();
    },
  };
  return harness;
}
