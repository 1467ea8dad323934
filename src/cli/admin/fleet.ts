import type { Command } from "commander";
import type { RecollectClient } from "../../client/client.ts";
import { call, labelled } from "../shell/call.ts";
import type { AdminOptions, CliContext } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { administrative, type Run } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";
import { jobsText } from "./jobs.ts";

interface Fleet {
  targetVersion: number;
  agents: number;
  current: number;
  behind: number;
  versions: { schemaVersion: number; agents: number }[];
  jobs: Record<string, { waiting: number; active: number; failed: number }>;
  failed: {
    tenantId: string;
    agentId: string;
    schemaVersion: number;
    error: string;
    failedAt: string;
    attempts: number;
  }[];
}

/** Adds the commands `recollect fleet …`. */
export function addFleet(program: Command, context: CliContext, run: Run): void {
  const fleet = program
    .command("fleet")
    .description("schema versions of all agents (operator only)")
    .addHelpText(...guide(["recollect fleet status", "recollect fleet migrate"], "recollect doctor"));
  administrative(fleet.command("status"))
    .description("how far the migration is, and which agents failed")
    .addHelpText(...guide(["recollect fleet status"], "recollect fleet migrate"))
    .action((options: AdminOptions) =>
      run(call(context, options, (client) => client.request<Fleet>("GET", "/v1/fleet"), describe)),
    );
  administrative(fleet.command("migrate"))
    .description("migrate outdated agents in the background, including those that failed")
    .addHelpText(...guide(["recollect fleet migrate"], "recollect fleet status"))
    .action((options: AdminOptions) => {
      const migrate = (client: RecollectClient) => client.request<Fleet>("POST", "/v1/fleet/migrate", { body: {} });
      return run(call(context, options, migrate, describe));
    });
}

function describe({ targetVersion, agents, current, behind, versions, jobs, failed }: Fleet, width?: number): string {
  const head = labelled([
    ["agents", `${agents}: ${current} at version ${targetVersion}, ${behind} behind, ${failed.length} failed`],
    ["jobs", jobsText(jobs)],
  ]);
  const byVersion = table(
    ["version", "agents"],
    versions.map((one) => [one.schemaVersion, one.agents]),
  );
  if (failed.length === 0) return `${head}\n${byVersion}`;
  const trouble = failed.map((one) => [
    ...[one.agentId, one.tenantId, one.schemaVersion, one.attempts, one.failedAt, one.error],
  ]);
  return `${head}\n${byVersion}\n${table(["failed", "tenant", "version", "tries", "at", "error"], trouble, width)}`;
}
