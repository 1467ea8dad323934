/**
 * pgvector 0.8.0 brought iterative index scans. Without them a filtered vector search returns too
 * few rows.
 */
const MIN_PGVECTOR = [0, 8, 0] as const;
/** CVE-2026-3172 (parallel HNSW builds) is fixed in 0.8.2. */
const SAFE_PGVECTOR = [0, 8, 2] as const;

/**
 * A fault and its remedy. The start prints both in one line, `recollect doctor` prints the remedy
 * below the fault.
 */
export interface Trouble {
  what: string;
  remedy: string;
}

export const PGVECTOR_NOT_ENABLED: Trouble = {
  what: "The extension pgvector is not enabled.",
  remedy: "As a superuser run in this database: CREATE EXTENSION vector;",
};

export const PGVECTOR_NOT_INSTALLED: Trouble = {
  what: "The extension pgvector is not installed on this Postgres server.",
  remedy:
    "Install it (Debian: apt-get install postgresql-17-pgvector; Docker: use the image pgvector/pgvector:pg17) and run: CREATE EXTENSION vector;",
};

/** Returns the fault of a version that Recollect cannot use; undefined for other versions. */
export function pgvectorTooOld(version: string): Trouble | undefined {
  if (!isBelow(version, MIN_PGVECTOR)) return undefined;
  return {
    what: `pgvector ${version} is too old; Recollect needs 0.8.0 or newer.`,
    remedy: "Install it on the server and run: ALTER EXTENSION vector UPDATE;",
  };
}

/**
 * Returns the fault of a version that Recollect can use all the same; undefined for other versions.
 */
export function pgvectorFlaw(version: string): Trouble | undefined {
  if (!isBelow(version, SAFE_PGVECTOR)) return undefined;
  return {
    what: `pgvector ${version} has a known flaw in parallel index builds (CVE-2026-3172);`,
    remedy: `upgrade it to ${SAFE_PGVECTOR.join(".")} or newer.`,
  };
}

/** Returns the fault of an extension whose type is not found without its schema's name. */
export function pgvectorHidden(schema: string): Trouble {
  return {
    what: `pgvector is enabled in the schema '${schema}', which is not on the search_path of the database login.`,
    remedy: "As the extension's owner run: ALTER EXTENSION vector SET SCHEMA public;",
  };
}

function isBelow(version: string, minimum: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
