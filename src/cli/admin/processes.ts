import { type Command, Option } from "commander";
import { addMcp } from "../memory/mcp.ts";
import type { CliContext, ProcessOutput, ServeOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { wholeNumber } from "../shell/option-parsers.ts";
import type { Run } from "../shell/shared-options.ts";

/** Adds the commands that run Recollect itself: `serve`, `migrate`, `worker`, `mcp`, `start`. */
export function addProcesses(program: Command, context: CliContext, run: Run): void {
  program
    .command("serve")
    .description("serve the API, with a worker in the same process")
    .addHelpText(
      ...guide(
        ["recollect serve --port 8080", "recollect serve --host 0.0.0.0 --no-worker"],
        "recollect sync ~/notes",
        "With the embedded database on loopback, requests need no key; on other addresses, and with Postgres (DATABASE_URL), every request needs one.",
      ),
    )
    .option("--host <host>", "address to listen on")
    .option("--port <port>", "port to listen on, 0 for any", wholeNumber(0, 65_535))
    .option("--no-worker", "run no jobs; `recollect worker` runs them")
    .option("--json", "print a JSON object a line: the address when the server listens, and a last one when it stopped")
    .addOption(logOption())
    .action((options: ServeOptions) => run(context.serve(options)));
  program
    .command("migrate")
    .description("migrate the database to this version, then exit")
    .addHelpText(
      ...guide(
        [
          "DATABASE_URL=postgres://localhost/recollect recollect migrate",
          "recollect migrate --roles    after a restore",
        ],
        "recollect serve",
        "Every process also migrates at its start. A deployment that migrates first learns of a failure before it replaces any process.",
      ),
    )
    .option("--roles", "also create the agents' roles and their rights again, after a restore of the database")
    .action((options: { roles?: true }) => run(context.migrate({ roles: options.roles ?? false })));
  program
    .command("worker")
    .description("run background jobs, without an API (needs DATABASE_URL)")
    .addHelpText(...guide(["DATABASE_URL=postgres://localhost/recollect recollect worker"], "recollect jobs list"))
    .option("--json", "print a JSON object a line: when the worker started, and when it stopped")
    .addOption(logOption())
    .action((options: ProcessOutput) => run(context.work(options)));
  addMcp(program, context, run);
  program
    .command("start")
    .summary("a tour with an example workspace")
    .description("a tour: serve, sync the example workspace, search it, go on serving")
    .addHelpText(...guide(["recollect start"], "recollect sync ~/notes"))
    .action(() => run(context.start()));
}

function logOption(): Option {
  const about = "how to write the log (default: text at a terminal, else a JSON object a line)";
  return new Option("--log <format>", about).choices(["json", "text"]);
}
