import { runCli } from "../cli/run-cli.ts";
import type { CliContext } from "../cli/shell/context.ts";
import { connect } from "./connect.ts";
import { commandsOfFeatures } from "./enabled-features.ts";
import { processContext } from "./process-context.ts";
import { stopping } from "./shutdown.ts";
import { VERSION } from "./version.ts";
import { warnOfVariables } from "./warn-of-variables.ts";

// `recollect get … | head` closes the pipe early; that is not an error.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });

/**
 * Reads the configuration. Each command reads it when it needs it, so that help works with a broken
 * environment. A module that only some commands need is imported by these commands: loading the
 * service takes a second, and loading the schema of the environment takes a third of a remote
 * command's whole time (test/start/client-modules.test.ts).
 */
const readConfig = async () => (await import("../config/config.ts")).readConfig();

const say = (line: string) => void process.stderr.write(line);

const argv = process.argv.slice(2);
let complaint = "";
const features = commandsOfFeatures(undefined, (text) => {
  complaint = text;
});
/** Warns once of a wrong RECOLLECT_FEATURES. A command that loads the features fails with the same sentence instead. */
const warnOfFeatures = () => {
  if (complaint !== "") say(complaint);
  complaint = "";
};

const context: CliContext = {
  ...processContext(),
  connect: async (options) => {
    const connection = await connect(options, say);
    warnOfFeatures();
    return connection;
  },
  serve: async (options) => (await import("./server.ts")).serve(await readConfig(), options),
  work: async (options) => (await import("./worker.ts")).work(await readConfig(), options),
  migrate: async (options) => (await import("./migrate.ts")).migrate(await readConfig(), options),
  cluster: async (task, say) => (await import("./cluster.ts")).runCluster(await readConfig(), task, say),
  restoreAgent: async (task) => {
    const config = await readConfig();
    if (config.databaseUrl !== undefined && config.url !== undefined)
      say("Uses the database of DATABASE_URL; RECOLLECT_URL is not used.\n");
    return (await import("./restore-agent.ts")).restoreAgent(config, task, process.stdin);
  },
  start: async () => (await import("./tour.ts")).startTour(await readConfig()),
  serveMcp: async (memory, options) => {
    const { serveMcpOnStdio } = await import("../mcp/serve-stdio.ts");
    return serveMcpOnStdio(memory, { ...options, version: VERSION, input: process.stdin, output: process.stdout });
  },
  stopping,
};
warnOfVariables(argv, say);
// The doctor examines the parts of a service without loading the features.
if (argv.includes("doctor")) warnOfFeatures();
process.exitCode = await runCli(argv, context, features);
if (process.exitCode === 0) warnOfFeatures();
