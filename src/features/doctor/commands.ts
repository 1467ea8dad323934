import type { Command } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import type { CliContext, ConnectOptions } from "../../cli/shell/context.ts";
import { guide } from "../../cli/shell/guide.ts";
import { agentId } from "../../cli/shell/option-parsers.ts";
import { paint } from "../../cli/shell/paint.ts";
import { printableLine } from "../../cli/shell/printable.ts";
import { AGENT_OPTION, connecting, type Run } from "../../cli/shell/shared-options.ts";
import type { Diagnosis, Finding } from "./finding.ts";

interface DoctorOptions extends ConnectOptions {
  agent?: string;
  json?: boolean;
}

/** Examines the configuration and the services that commands would use, and changes nothing. */
type Examine = (options: ConnectOptions) => Promise<Diagnosis>;

const examineMachine: Examine = async (options) => (await import("./diagnose.ts")).diagnose(options);

/** Adds the command `recollect doctor`. */
export function addDoctor(program: Command, context: CliContext, run: Run, examine = examineMachine): void {
  connecting(program.command("doctor"))
    .helpGroup("This command:")
    .summary("check everything, and say what to do")
    .description("check everything that commands need, and say what to do about what is wrong")
    .addHelpText(
      ...guide(
        [
          "recollect doctor",
          "recollect doctor --profile team",
          "DATABASE_URL=postgres://localhost/recollect recollect doctor",
          "recollect doctor --json | jq '.findings[] | select(.state != \"ok\")'",
        ],
        "follow the advice of each finding, then run recollect doctor again",
        `The command changes nothing: on a Citus cluster it writes as one agent of each worker, and rolls these writes back. Without a
server it checks what this machine would use: database, pgvector, login, migrations, embedding provider, built-in model,
disk, queue, clock. A server examines itself, within the rights of the key. Exit code 1 when a check failed.`,
      ),
    )
    .option("--agent <id>", AGENT_OPTION, agentId)
    .option("--json", "print one JSON object")
    .action((options: DoctorOptions) => run(doctor(context, options, examine)));
}

/** Runs all checks and prints the findings. @returns 1 when a check failed, else 0 */
async function doctor(context: CliContext, options: DoctorOptions, examine: Examine): Promise<number> {
  const { findings: ofMachine, server, ifNotServed } = await examine(options);
  const { examineServer } = await import("./examine-server.ts");
  const ofServer = server ? await examineServer(server, options.agent, context.version) : [];
  await server?.close();
  const isServed = !ofServer.some(({ check, state }) => check === "server" && state === "failed");
  const findings = [...ofMachine, ...ofServer, ...(isServed ? [] : ((await ifNotServed?.()) ?? []))];
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const [failed, warnings] = [count("failed"), count("warning")];
  const text = () =>
    `${findings.map((finding) => describe(finding, context.colour)).join("")}\n${verdict(failed, warnings)}${keptSaid(findings)}\n`;
  context.stdout.write(options.json ? `${JSON.stringify({ ok: failed === 0, failed, warnings, findings })}\n` : text());
  return failed > 0 ? 1 : 0;
}

const STYLES = { ok: "dim", warning: "yellow", failed: "red" } as const;
const STATE_WIDTH = "warning".length;
const CHECK_WIDTH = "configuration".length;

function describe({ check, state, message, remedy, ageSeconds }: Finding, colour: boolean): string {
  const indent = " ".repeat(STATE_WIDTH + CHECK_WIDTH + 4);
  const head = `${paint(STYLES[state], state.padEnd(STATE_WIDTH), colour)}  ${check.padEnd(CHECK_WIDTH)}  ${printableLine(ageSeconds === undefined ? message : `${message} (checked ${ageSeconds} s ago)`)}\n`;
  return remedy === undefined ? head : `${head}${indent}${printableLine(remedy)}\n`;
}

function verdict(failures: number, warnings: number): string {
  if (failures + warnings === 0) return "Everything works.";
  const parts = [
    ...(failures > 0 ? [`${countOf(failures, "check")} failed`] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ];
  return `${parts.join(", ")}.`;
}

/** Returns the sentence about results that were not checked anew; empty if all were. */
function keptSaid(findings: readonly Finding[]): string {
  const ages = findings.flatMap(({ ageSeconds = 0 }) => (ageSeconds > 0 ? [ageSeconds] : []));
  if (ages.length === 0) return "";
  const some = ages.length === 1 ? "One result is" : `${ages.length} results are`;
  return ` ${some} kept from an earlier check, up to ${Math.max(...ages)} s ago; run the command again in ten seconds to check anew.`;
}
