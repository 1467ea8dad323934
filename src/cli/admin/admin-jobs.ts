import type { Command } from "commander";
import { type AdminOptions, call, callList, fields, table } from "../shell/call.ts";
import type { CliContext } from "../shell/context.ts";
import { administrative, type Run } from "../shell/run.ts";

interface Job {
  id: string;
  kind: string;
  state: string;
  agentId: string | null;
  retryCount: number;
  createdAt: string;
  error: { code: string } | null;
}

/** `recollect jobs …` */
export function addJobs(program: Command, context: CliContext, run: Run): void {
  const jobs = program.command("jobs").description("background jobs of a tenant");
  administrative(jobs.command("list"))
    .description("list jobs, newest first; finished ones are shown for an hour")
    .option("--agent <id>", "of this agent only")
    .option("--state <state>", "waiting, active, retry, completed, cancelled or failed")
    .action((options: AdminOptions & { agent?: string; state?: string }) =>
      run(callList<Job>(context, options, "jobs", list, { agentId: options.agent, state: options.state })),
    );
  administrative(jobs.command("show").argument("<id>"))
    .description("one job, with the error of its last try")
    .action((id: string, options: AdminOptions) =>
      run(call<object>(context, options, { method: "GET", path: jobPath(id) }, fields)),
    );
  administrative(jobs.command("retry").argument("<id>"))
    .description("run a failed or waiting job now")
    .action((id: string, options: AdminOptions) => {
      const request = { method: "POST", path: `${jobPath(id)}/retry`, body: {} };
      return run(call<object>(context, options, request, () => "It is due.\n"));
    });
  administrative(jobs.command("cancel").argument("<id>"))
    .description("cancel a job, or forget one that failed for good")
    .action((id: string, options: AdminOptions) =>
      run(call<object>(context, options, { method: "DELETE", path: jobPath(id) }, () => "Cancelled.\n")),
    );
}

function jobPath(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

function list(jobs: readonly Job[]): string {
  return table(
    ["id", "kind", "agent", "state", "tries", "created", "error"],
    jobs.map((job) => [
      ...[job.id, job.kind, job.agentId, job.state, job.retryCount, job.createdAt, job.error?.code ?? null],
    ]),
  );
}
