import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { createLogger } from "../../base/logger.ts";
import type { Connection, ConnectOptions } from "../../cli/shell/context.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { openProfiles } from "../../config/profiles.ts";
import type { Database } from "../../db/database.ts";
import { postgresIn } from "../../db/database-folder.ts";
import { databaseTrouble } from "../../db/database-trouble.ts";
import { loadAgentMigrations } from "../../db/migrate/agent.ts";
import { SCHEMA_NOT_OURS } from "../../db/migrate/control.ts";
import { openPostgres } from "../../db/pg.ts";
import { openPglite } from "../../db/pglite.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { resolveSettings } from "../../settings/settings.ts";
import { databaseNotUsed, type Target, targetOf } from "../../wiring/command-target.ts";
import { connectTo } from "../../wiring/connect-to-server.ts";
import { placesElsewhere } from "../../wiring/missing-database.ts";
import { embedderOpener } from "../../wiring/open-embedder.ts";
import { readDefaults } from "../../wiring/read-defaults.ts";
import { advertisedUrl } from "../../wiring/running-server.ts";
import { diagnoseDatabase } from "./diagnose-database.ts";
import { diagnoseEnvironment, diagnoseVariables, warningOfStart } from "./diagnose-environment.ts";
import { freeBytesOf } from "./diagnose-machine.ts";
import { diagnoseProvider } from "./diagnose-provider.ts";
import { type Diagnosis, type Finding, failed, ok, warning } from "./finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Collects the findings that `recollect doctor` makes on this machine, and the server to ask, if
 * commands would talk to one. It creates and migrates nothing.
 *
 * @param seams the environment of a test, and the free room of a disk
 */
export async function diagnose(
  options: ConnectOptions,
  { env, freeBytes = freeBytesOf }: { env?: Environment; freeBytes?: (folder: string) => Promise<number> } = {},
): Promise<Diagnosis> {
  let config: Config;
  let target: Target | undefined;
  try {
    config = readConfig(env);
    target = targetOf(options, config, () => openProfiles(env).read());
  } catch (error) {
    return { findings: [configurationTrouble(error)] };
  }
  if (target) return throughServer(target, config, diagnoseVariables(config));
  const database = config.databaseUrl === undefined ? await embedded(config) : await served(config.databaseUrl);
  const findings = [...database.findings, ...(await environmentOf(config, freeBytes))];
  return { ...database, findings };
}

function throughServer(target: Target, config: Config, findings: Finding[]): Diagnosis {
  const server = connectTo(target);
  const { databaseUrl } = config;
  const notUsed = databaseNotUsed(target, config);
  if (databaseUrl === undefined || notUsed === undefined) return { findings, server };
  const ifNotServed = async () => [
    ok("configuration", "The server does not serve, so the database of DATABASE_URL is examined from here."),
    ...(await served(databaseUrl)).findings,
  ];
  return { findings: [...findings, ok("configuration", notUsed)], server, ifNotServed };
}

function configurationTrouble(error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  return failed(
    "configuration",
    error.message,
    "Correct the variable or the file that the message names, then run recollect doctor again.",
  );
}

async function served(databaseUrl: string): Promise<Diagnosis> {
  const db = openPostgres({ connectionString: databaseUrl, maxConnections: 2, onIdleError: () => undefined });
  try {
    return { findings: await databaseFindings(db) };
  } catch (error) {
    return { findings: [findingOf(error, databaseUrl)] };
  } finally {
    await db.close();
  }
}

function findingOf(error: unknown, databaseUrl: string): Finding {
  if (error instanceof AppError && error.code === "database_unsupported")
    return failed("migrations", SCHEMA_NOT_OURS.what, SCHEMA_NOT_OURS.remedy);
  const { what, remedy } = databaseTrouble(error, databaseUrl);
  return failed("database", what, remedy);
}

/** Returns the file that stands in the place of a folder, or of a folder above it; undefined if none does. */
function fileInPlaceOf(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return undefined;
    return path;
  } catch (error) {
    // There is nothing, or this user may not look. Below a file there can be nothing.
    const { code } = error as { code?: unknown };
    return (code === "ENOTDIR" || code === "ENOENT") && dirname(path) !== path
      ? fileInPlaceOf(dirname(path))
      : undefined;
  }
}

const ANOTHER_FOLDER = "Move the file away, or name another folder with RECOLLECT_DATA_DIR.";

async function embedded(config: Config): Promise<Diagnosis> {
  const { dataDir, apiKey } = config;
  // Opening a database that does not exist would create it.
  if (!existsSync(postgresIn(dataDir))) {
    const file = fileInPlaceOf(resolve(dataDir));
    if (file !== undefined)
      return { findings: [failed("database", `${file} is a file, not a folder.`, ANOTHER_FOLDER)] };
    const none = `There is no database in ${dataDir} yet; recollect serve, or the first command that stores something, makes it.`;
    const places = await placesElsewhere(resolve(dataDir), process.cwd(), config);
    return { findings: [ok("database", [none, ...places].join(" "))] };
  }
  let db: Database | undefined;
  try {
    db = await openPglite(dataDir);
    return { findings: await databaseFindings(db) };
  } catch (error) {
    if (error instanceof AppError && error.code === "data_folder_in_use") return inUse(dataDir, apiKey);
    const what = error instanceof Error ? error.message : String(error);
    const remedy =
      "If the disk is full, make room. Else restore the folder from a backup, or name another with RECOLLECT_DATA_DIR.";
    return { findings: [failed("database", `The database in ${dataDir} cannot be opened: ${what}.`, remedy)] };
  } finally {
    await db?.close();
  }
}

/**
 * Reports that another process has the folder open. If that process is a server, also returns it,
 * because commands talk to it.
 */
function inUse(dataDir: string, key: string | undefined): Diagnosis {
  const url = advertisedUrl(dataDir);
  if (url === undefined)
    return {
      findings: [
        warning(
          "database",
          `Another process has ${dataDir} open and is not a server, so the database cannot be examined.`,
          "Wait for that command to end (watch, mcp, sync), or run recollect serve and let all commands use it.",
        ),
      ],
    };
  const server: Connection = connectTo({ url, key, description: url });
  return { findings: [ok("database", `${dataDir} is open in the server at ${url}.`)], server };
}

function databaseFindings(db: Database): Promise<Finding[]> {
  return diagnoseDatabase(db, { kind: db.kind, migrations: loadAgentMigrations(), now: systemClock() });
}

async function environmentOf(config: Config, freeBytes: typeof freeBytesOf): Promise<Finding[]> {
  // A warning that a start would log is a finding here.
  const warnings: string[] = [];
  const logger = {
    ...createLogger("silent"),
    warn: (given: unknown, text?: string) => void warnings.push(text ?? String(given)),
  };
  try {
    const defaults = readDefaults(config, createLogger("silent"));
    const { settings } = resolveSettings(defaults.layers);
    const open = embedderOpener(config, logger);
    let embedder: Embedder | undefined;
    const found = await diagnoseProvider(settings.provider, async () => {
      embedder = await open(settings);
      return embedder;
    }).finally(() => embedder?.close());
    const examined = await diagnoseEnvironment(config, defaults, freeBytes);
    const said = warnings.map(warningOfStart).filter((one) => !examined.some(({ message }) => message === one.message));
    return [...said, found, ...examined];
  } catch (error) {
    return [...diagnoseVariables(config), configurationTrouble(error)];
  }
}
