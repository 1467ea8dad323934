import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createGzip } from "node:zlib";
import { authoriseAgent } from "../../agents/access.ts";
import { AppError } from "../../base/errors.ts";
import { hasHistory } from "../../db/agent/archive/archive-history.ts";
import { hasDocuments } from "../../db/agent/archive/archive-read.ts";
import { hasIngestTables } from "../../db/agent/facts/ingests.ts";
import { listOrigins } from "../../db/agent/files/files.ts";
import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/space/generations.ts";
import { lookUpAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { listBindings } from "../../db/control/bindings.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, OLDER_VERSION, type WrittenLine } from "./archive-format.ts";
import { archiveLines, type Lines, type Read } from "./archive-lines.ts";
import { freeze } from "./frozen-state.ts";

/**
 * Exports an agent's memory as an archive (docs/ARCHIVE.md): gzipped JSON lines, made page by page as the client reads.
 * It is the memory of one moment: a snapshot holds that while the client reads (`frozen-state.ts`). Secrets in settings and files of
 * the server's folders are left out.
 *
 * @param options.vectors whether embeddings are included
 * @throws AppError as `findAgent`; the stream is destroyed when something goes wrong later, so that the archive has no end
 */
export async function exportAgent(
  deps: Deps,
  caller: Caller,
  agentId: string,
  options: { vectors: boolean; service: string },
): Promise<ReadableStream<Uint8Array>> {
  authoriseAgent(caller, "tenant", agentId);
  const { agent } = await findAgent(deps, caller, "tenant", agentId);
  const row = (await lookUpAgent(deps.db, caller.tenantId, agentId))?.agent;
  const read: Read | undefined = agent && ((fn) => withAgentTransaction(deps.db, agent, fn));
  const generation = options.vectors && read ? await read((tx) => activeGeneration(tx, tx.schema)) : undefined;
  const { provider = "", model = "", dimensions = null } = generation ?? {};
  const separation = Object.keys(generation?.separation ?? {}).length > 0 ? generation?.separation : undefined;
  const rules = (await listBindings(deps.db, caller.tenantId)).filter((rule) => rule.agentId === agentId);
  const bindings = rules.map(({ match }) => match as Record<string, unknown>);
  const hasPieces = read !== undefined && (await read((tx) => hasIngestTables(tx, tx.schema)));
  const has = {
    origins: read !== undefined && (await read((tx) => listOrigins(tx, tx.schema, 1))).length > 0,
    originals: read !== undefined && (await read((tx) => hasDocuments(tx, tx.schema))),
    history: read !== undefined && (hasPieces || bindings.length > 0 || (await read((tx) => hasHistory(tx, tx.schema)))),
  };
  const version = versionOf({ ...has, separation: separation !== undefined });
  const now = deps.clock();
  const header: WrittenLine = {
    ...{ type: "header", format: ARCHIVE_FORMAT, version, service: options.service },
    exportedAt: now.toISOString(),
    agent: {
      ...{ id: agentId, name: row?.name ?? "", settings: withoutSecrets(row?.settings ?? {}) },
      limits: row?.limits ?? {},
    },
    vectors: dimensions === null ? null : { provider, model, dimensions, ...(separation ? { separation } : {}) },
  };
  const audit = { at: now, actor: caller.actor, action: "agent.export", target: agentId };
  await insertAudit(deps.db, { tenantId: caller.tenantId, ...audit, details: { vectors: dimensions !== null } });
  const made = dimensions === null ? undefined : generation;
  const all = async function* () {
    if (!agent || !read) return yield* archiveLines(header, undefined);
    const state = await freeze(deps, agent);
    try {
      yield* archiveLines(header, { read, state, has, generation: made, bindings, hasPieces });
    } finally {
      await state.release();
    }
  };
  return pack(deps, agent, all());
}

/** The lowest version that fits. */
function versionOf(has: Record<"origins" | "originals" | "history" | "separation", boolean>): number {
  if (has.history) return ARCHIVE_VERSION;
  if (has.originals) return OLDER_VERSION.withOriginals;
  if (has.separation) return OLDER_VERSION.withSeparation;
  return has.origins ? OLDER_VERSION.withOrigins : OLDER_VERSION.without;
}

function pack(deps: Deps, agent: KnownAgent | undefined, lines: Lines): ReadableStream<Uint8Array> {
  async function* texts() {
    try {
      for await (const line of lines) yield `${JSON.stringify(line)}\n`;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      deps.logger.error({ agentId: agent?.agentId, code }, "an export ended early");
      throw error;
    }
  }
  const gzip = createGzip();
  // The reader gets the error.
  pipeline(Readable.from(texts(), { objectMode: false, highWaterMark: 65_536 }), gzip, () => undefined);
  return Readable.toWeb(gzip) as ReadableStream<Uint8Array>;
}

/** Secrets can no longer be stored with an agent. This covers old ones, as an archive leaves the operator's control. */
function withoutSecrets(settings: Record<string, unknown>): Record<string, unknown> {
  if (typeof settings.remote !== "object" || settings.remote === null) return settings;
  const { apiKey: _, headers: __, ...remote } = settings.remote as Record<string, unknown>;
  return { ...settings, remote };
}

