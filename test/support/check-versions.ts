import { contentHash } from "../../src/ingest/normalise.ts";
import type { AgentView } from "./check-agent.ts";

interface VersionRow {
  version: string;
  path: string;
  content: string;
  content_hash: string;
  size_bytes: number;
  since: string;
  deleted: boolean;
}

/**
 * Checks the versions of an agent's files, the counter of their bytes, and the agent's snapshots.
 */
export async function checkVersions({ db, schema, tenant, agent }: AgentView): Promise<string[]> {
  const { rows: versions } = await db.executeSql<VersionRow>(
    `SELECT until_seq::text AS version, path, '=' || content AS content, content_hash, size_bytes, since_seq::text AS since, deleted
       FROM ${schema}.file_versions ORDER BY path, until_seq`,
  );
  const { rows: files } = await db.executeSql<{ path: string; since: string }>(
    `SELECT path, coalesce(seq, id)::text AS since FROM ${schema}.files`,
  );
  const { rows: counted } = await db.executeSql<{ bytes: number }>(
    "SELECT history_bytes::float8 AS bytes FROM recollect.usage WHERE tenant_id = $1 AND agent_id = $2",
    [tenant, agent],
  );
  const problems: string[] = [];
  const ends = new Map<string, bigint>();
  for (const { version, path, content, content_hash, size_bytes, since } of versions) {
    const text = content.slice(1);
    if (contentHash(text) !== content_hash) problems.push(`version ${version} has not the text of its hash`);
    if (Buffer.byteLength(text) !== size_bytes) problems.push(`version ${version} has not the size that it names`);
    if (BigInt(since) >= BigInt(version)) problems.push(`version ${version} ends before it begins`);
    if (BigInt(since) < (ends.get(path) ?? 0n)) problems.push(`version ${version} begins before the one before ends`);
    ends.set(path, BigInt(version));
  }
  for (const { path, since } of files)
    if (BigInt(since) < (ends.get(path) ?? 0n)) problems.push(`${path} stands since before its last version ended`);
  const bytes = versions.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  if (counted[0] && counted[0].bytes !== bytes)
    problems.push(`${counted[0].bytes} bytes of history are counted, and there are ${bytes}`);
  return problems;
}
