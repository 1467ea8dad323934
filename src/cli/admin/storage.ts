import type { AgentStorage, RecollectClient, StorageUsage } from "../../client/client.ts";
import { call, labelled } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { sizeText } from "../shell/size.ts";
import { table } from "../shell/table.ts";

interface StorageOptions extends AdminOptions {
  server?: boolean;
  limit?: number;
  agent?: string;
}

const HEAD = ["agent", "on disk", "files", "conversations", "facts", "history", "index", "dead rows", "cache"];

/** Prints the disk space of agents, and with `--server` of everything else in the database. */
export function storageUsage(context: CliContext, options: StorageOptions): Promise<number> {
  const { server, limit, agent: agentId } = options;
  const query = { server: server ? "true" : undefined, limit, agentId };
  const read = (client: RecollectClient) => client.request<StorageUsage>("GET", "/v1/usage/storage", { query });
  return call(context, options, read, (answer, width) => render(answer, server === true, width));
}

function render(
  { agents, otherAgents, snapshots, server }: StorageUsage,
  ofServer: boolean,
  width: number | undefined,
): string {
  const head = ofServer ? ["tenant", ...HEAD] : HEAD;
  const rows = agents.map((agent) => (ofServer ? [agent.tenantName, ...cells(agent)] : cells(agent)));
  const others = otherAgents > 0 ? `${otherAgents} smaller agents were not measured; see --limit.\n` : "";
  const held =
    snapshots === undefined
      ? ""
      : `\n${labelled([
          ["snapshots", String(snapshots.snapshots)],
          ["oldest", snapshots.oldestAt ?? undefined],
          ["keep", `${snapshots.versions} former versions of files with ${sizeText(snapshots.bytes)} of text`],
        ])}`;
  return `${table(head, rows, width)}${others}${held}${server ? `\n${serverLines(server)}` : ""}`;
}

function cells({ agentId, bytes, parts, deadRows, deadBytes, cachedVectors, cacheBytes }: AgentStorage): string[] {
  const { files, conversations, facts, history, index } = parts;
  return [
    agentId,
    ...[bytes, files, conversations, facts, history, index].map(sizeText),
    `${deadRows} (${sizeText(deadBytes)})`,
    `${cachedVectors} (${sizeText(cacheBytes)})`,
  ];
}

function serverLines(server: NonNullable<StorageUsage["server"]>): string {
  const { databaseBytes, cacheBytes, controlBytes, jobsBytes, spareSchemas, spareBytes, heldLogBytes } = server;
  return labelled([
    ["database", sizeText(databaseBytes)],
    ["embedding cache", sizeText(cacheBytes)],
    ["control schema", sizeText(controlBytes)],
    ["jobs", sizeText(jobsBytes)],
    ["spare schemas", `${spareSchemas} (${sizeText(spareBytes)})`],
    ["log held by slots", heldLogBytes === null ? "unknown on a standby" : sizeText(heldLogBytes)],
  ]);
}
