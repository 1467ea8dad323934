import { setTimeout as sleep } from "node:timers/promises";
import type { ErasureReceipt, RecollectClient, Tenant, TenantReceipt } from "../../client/client.ts";
import { fields, labelled, print } from "../shell/call.ts";
import type { Service } from "../shell/connected.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { codeOf } from "../shell/problem.ts";
import { startProgress } from "../shell/progress.ts";

/** The receipt of a tenant, with the receipts of the agents that the command erased. */
interface Erased extends TenantReceipt {
  agents: Omit<ErasureReceipt, "pathHashes" | "nextCursor">[];
}

/** How long the command waits before it looks again for agents that another process is erasing. */
const AGAIN_MS = 500;

const STAYS = [
  "archives in RECOLLECT_EXPORT_DIR, below the folder of the tenant's id, and downloaded archives: delete them",
  "dumps, snapshots of the server and the write-ahead log, until you delete them or they expire",
  "logs of the processes: ids and codes, without texts",
  "audit log, receipts and totals of cost: without texts, but with the ids of agents and the names of keys",
  "texts that an embedding or chat provider keeps by its own rules",
];

/** Erases the tenant that the client acts in, and prints the receipt. @returns 0 */
export async function eraseTenant(context: CliContext, options: AdminOptions, service: Service): Promise<number> {
  return print(context, options, await removeWithAgents(context, service), receipt);
}

/**
 * Removes the tenant that the client acts in. The server refuses that while the tenant has agents,
 * and names them: so the agents that are being made or imported are erased as well.
 */
async function removeWithAgents({ stderr }: CliContext, { client }: Service): Promise<Erased> {
  const agents: Erased["agents"] = [];
  for (;;) {
    const answer = await removeOrRefusal(client);
    if ("removed" in answer) return { ...answer.removed, agents };
    // Only once the server has refused: it refuses to remove the default tenant, which stays enabled.
    await client.request<Tenant>("PATCH", "/v1/tenant", { body: { disabled: true } });
    const progress = await startProgress(stderr, "erasing agents", answer.left.length);
    try {
      const before = agents.length;
      for (const [index, id] of answer.left.entries()) {
        agents.push(...(await eraseAgent(client, id)));
        progress.update(index + 1);
      }
      if (agents.length === before) await sleep(AGAIN_MS);
    } finally {
      progress.stop();
    }
  }
}

/** Returns the receipt, or the agents that the tenant still has. */
async function removeOrRefusal(client: RecollectClient): Promise<{ removed: TenantReceipt } | { left: string[] }> {
  try {
    return { removed: await client.request<TenantReceipt>("DELETE", "/v1/tenant") };
  } catch (error) {
    const { agents } = (error as { details?: { agents?: string[] } }).details ?? {};
    if (codeOf(error) === "tenant_not_empty" && agents) return { left: agents };
    throw error;
  }
}

async function eraseAgent(client: RecollectClient, id: string): Promise<Erased["agents"]> {
  try {
    const { pathHashes: _, nextCursor: __, ...summary } = await client.agents.erase(id);
    return [summary];
  } catch (error) {
    // Another process has erased it meanwhile.
    if (codeOf(error) === "agent_not_found") return [];
    throw error;
  }
}

function receipt({ receiptId, tenantId, tenantName, removedAt, actor, counts, left }: Erased): string {
  const head = labelled([
    ["tenant", `${tenantName} (${tenantId})`],
    ["receipt", receiptId],
    ["erased at", removedAt],
    ["by", actor],
  ]);
  const stays = STAYS.map((line) => `- ${line}\n`).join("");
  return `${head}\n${fields({ counts, left })}\nThese remain, because the command cannot delete them or because they are proof:\n${stays}`;
}
