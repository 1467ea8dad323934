#!/usr/bin/env node
import { runCli } from "../cli/run-cli.ts";
import { readConfig } from "../config/config.ts";
import { serveMcpOnStdio } from "../mcp/serve-stdio.ts";
import { connect } from "./connect.ts";
import { diagnose } from "./diagnose.ts";
import { processContext } from "./process-context.ts";
import { serve } from "./server.ts";
import { stopping } from "./shutdown.ts";
import { startTour } from "./tour.ts";
import { VERSION } from "./version.ts";
import { work } from "./worker.ts";

// `recollect get … | head` closes the pipe early; that is no error of ours.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });

/** The `recollect` command. Configuration is read when a command needs it, so that help works with a broken environment. */
process.exitCode = await runCli(process.argv.slice(2), {
  ...processContext(),
  connect: (options) => connect(readConfig(), options),
  diagnose: (options) => diagnose(options),
  serve: (options) => serve(readConfig(), options),
  work: (options) => work(readConfig(), options),
  start: () => startTour(readConfig()),
  serveMcp: (memory, options) =>
    serveMcpOnStdio(memory, { ...options, version: VERSION, input: process.stdin, output: process.stdout }),
  stopping,
});
