import { sendOrHalve } from "../../cli/sessions/send-messages.ts";
import { PAGE_ROWS } from "../../cli/shell/call.ts";
import { codeOf } from "../../cli/shell/problem.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { FactInput } from "../../client/client.ts";
import { factIdentity } from "./foreign-facts.ts";
import { type ImportReport, skip } from "./import-report.ts";

/** The server's limit of facts for one request. */
const BATCH_FACTS = 50;

type Placed = { fact: FactInput; place: string };

export interface FactImporter {
  add(fact: FactInput, place: string): Promise<void>;
  finish(): Promise<void>;
}

/**
 * Creates an importer that stores only facts that the agent has never had. Facts that no longer
 * hold count too, so a fact that was replaced does not come back.
 *
 * @param start runs a request in parallel with others
 */
export function createFactImporter(
  { memory, dryRun }: { memory: AgentClient; dryRun: boolean },
  start: (request: () => Promise<void>) => Promise<void>,
  report: ImportReport,
): FactImporter {
  let known: Set<string> | undefined;
  let batch: Placed[] = [];
  const flush = async () => {
    const whole = batch;
    batch = [];
    if (whole.length > 0 && !dryRun) await start(() => send(memory, whole, report));
  };
  return {
    add: async (fact, place) => {
      known ??= await storedFacts(memory);
      const identity = factIdentity(fact);
      report.facts.found++;
      if (known.has(identity)) {
        report.facts.known++;
        return;
      }
      known.add(identity);
      if (dryRun) report.facts.new++;
      batch.push({ fact, place });
      if (batch.length === BATCH_FACTS) await flush();
    },
    finish: flush,
  };
}

/** Returns the identities of all facts of an agent, including facts that no longer hold. */
async function storedFacts(memory: AgentClient): Promise<Set<string>> {
  const found = new Set<string>();
  try {
    for await (const fact of memory.facts.all({ all: true, limit: PAGE_ROWS })) found.add(factIdentity(fact));
  } catch (error) {
    if (codeOf(error) !== "agent_not_found") throw error;
  }
  return found;
}

function send(memory: AgentClient, batch: readonly Placed[], report: ImportReport): Promise<void> {
  return sendOrHalve(
    batch,
    async (part) => {
      const { facts } = await memory.facts.add(part.map(({ fact }) => fact));
      // The agent may have the fact in other words already. Only the server can detect this.
      for (const { status } of facts) report.facts[status === "stored" ? "new" : "known"]++;
    },
    ({ place }, reason) => skip(report, place, reason),
  );
}
