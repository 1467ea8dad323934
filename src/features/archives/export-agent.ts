import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createGzip } from "node:zlib";
import { describeFault } from "../../base/describe-fault.ts";
import { AppError } from "../../base/errors.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/schema/generations.ts";
import { type AgentRow, lookUpAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { listBindings } from "../../db/control/bindings.ts";
import { findAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import { authoriseAgent } from "../../settings/access.ts";
import { ARCHIVE_FORMAT, NO_COUNTS, VERSION_WITH } from "./archive-format.ts";
import { archiveLines, endLine, type Lines, type Read } from "./archive-lines.ts";
import { freeze } from "./frozen-state.ts";

/**
 * Exports an agent's memory as an archive (docs/ARCHIVE.md): gzipped JSON lines, made page by page
 * as the client reads. The archive holds the memory of one moment, which a snapshot preserves while
 * the client reads (`frozen-state.ts`). Secrets in settings and files of the server's folders are
 * left out.
 *
 * @param options.vectors whether embeddings are included
 * @throws AppError as `findAgent`. A later error destroys the stream, so that the archive has no
 *   end line
 */
export async function exportAgent(
  deps: Deps,
  caller: Caller,
  agentId: string,
  options: { vectors: boolean },
): Promise<ReadableStream<Uint8Array>> {
  authoriseAgent(caller, "tenant", agentId);
  const { agent } = await findAgent(deps, caller, "tenant", agentId);
  const audit = { at: deps.clock(), actor: caller.actor, action: "agent.export", target: agentId };
  await insertAudit(deps.db, { tenantId: caller.tenantId, ...audit, details: { vectors: options.vectors } });
  return pack(deps, agentId, agent ? lines(deps, caller, agent, options) : emptyLines(deps, agentId));
}

async function* lines(deps: Deps, { tenantId }: Caller, agent: KnownAgent, options: { vectors: boolean }): Lines {
  const state = await freeze(deps, agent);
  try {
    const read: Read = (fn) => withAgentReads(deps.db, agent, fn);
    const row = (await lookUpAgent(deps.db, tenantId, agent.agentId))?.agent;
    const rules = (await listBindings(deps.db, tenantId)).filter((rule) => rule.agentId === agent.agentId);
    const active = options.vectors ? await read((tx) => activeGeneration(tx, tx.schema)) : undefined;
    const generation = active?.dimensions === null ? undefined : active;
    const separation = generation?.separation ?? {};
    const isMeasured = Object.keys(separation).length > 0;
    const isNew = state.isNumbered || state.pieces.length > 0 || rules.length > 0;
    const isScoped = state.sessions.some((one) => one.scopeUser || one.scopeAgent || one.scopeSession);
    const older = isNew ? VERSION_WITH.history : isMeasured ? VERSION_WITH.separation : VERSION_WITH.texts;
    const before = isScoped ? VERSION_WITH.scopes : older;
    const withSubjects = state.hasSubjects ? VERSION_WITH.subjects : before;
    const version = state.hasClasses ? VERSION_WITH.classes : withSubjects;
    yield {
      ...headerOf(deps, version),
      agent: { id: agent.agentId, ...describedAgent(row) },
      vectors: generation ? { ...modelOf(generation), ...(isMeasured ? { separation } : {}) } : null,
    };
    yield* archiveLines({ read, state, version, generation, bindings: rules.map(({ match }) => match) });
  } finally {
    await state.release();
  }
}

/** Yields the archive of an agent that was never written to. */
async function* emptyLines(deps: Deps, id: string): Lines {
  const version = VERSION_WITH.texts;
  yield { ...headerOf(deps, version), agent: { id, ...describedAgent(undefined) }, vectors: null };
  yield endLine(NO_COUNTS, version);
}

function headerOf({ clock, version: service }: Deps, version: number) {
  return { type: "header", format: ARCHIVE_FORMAT, version, service, exportedAt: clock().toISOString() } as const;
}

function describedAgent(row: AgentRow | undefined | null) {
  return { name: row?.name ?? "", settings: withoutSecrets(row?.settings ?? {}), limits: { ...row?.limits } };
}

function modelOf({ provider, model, dimensions }: Generation) {
  return { provider, model, dimensions: dimensions ?? 0 };
}

function pack(deps: Deps, agentId: string, lines: Lines): ReadableStream<Uint8Array> {
  async function* texts() {
    try {
      for await (const line of lines) yield `${JSON.stringify(line)}\n`;
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      deps.logger.error({ agentId, code, err: describeFault(error) }, "an export ended early");
      throw error;
    }
  }
  const gzip = createGzip();
  // The stream's reader receives the error.
  pipeline(Readable.from(texts(), { objectMode: false, highWaterMark: 65_536 }), gzip, () => undefined);
  return Readable.toWeb(gzip) as ReadableStream<Uint8Array>;
}

/**
 * Removes secrets from settings. Settings can no longer hold secrets, but old ones may, and an
 * archive leaves the operator's control.
 */
function withoutSecrets(settings: Record<string, unknown>): Record<string, unknown> {
  if (typeof settings.remote !== "object" || settings.remote === null) return settings;
  const { apiKey: _, headers: __, ...remote } = settings.remote as Record<string, unknown>;
  return { ...settings, remote };
}
