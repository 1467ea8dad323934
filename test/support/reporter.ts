import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** Of a failure's reason, enough to tell what went wrong from the end of a log, where only that is kept. */
const MOST_LINES = 30;
const LONGEST_LINE = 400;

/** What vitest knows of an error: that of an assertion has a diff. */
interface RunError {
  message?: string;
  stack?: string;
  diff?: string;
  cause?: RunError;
}

/**
 * Ends a run with what was not tested and why, what failed and why, and the plain last line that the README promises and CI reads:
 * `N passed, N failed`.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<RunError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    // A file that cannot be loaded, or a suite that cannot begin, has no failed test to count, yet it failed.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failures = [
      ...inState("failed").map((test) => describeFailure(nameOf(test), test.result().errors)),
      ...groups.flatMap((group) => (group.errors().length > 0 ? [describeFailure(nameOf(group), group.errors())] : [])),
      ...errors.map((error) => describeFailure("an error outside of a test", [error])),
    ];
    const unfinished = inState("pending").map((test) => `UNFINISHED ${nameOf(test)}`);
    const lines = [
      ...describeSkipped(inState("skipped")),
      ...["", ...unfinished, ...failures.flat()],
      `${inState("passed").length} passed, ${failures.length} failed`,
    ];
    // After the default reporter's own summary, which is written when the process is about to end.
    process.on("exit", () => process.stdout.write(`\n${lines.join("\n")}\n`));
  }
}

function nameOf(one: TestCase | TestSuite | TestModule): string {
  return one.type === "module" ? one.relativeModuleId : `${one.module.relativeModuleId}: ${one.fullName}`;
}

/** Its lines begin with words that `.ci/run` looks for, to print them again at the end. */
function describeFailure(which: string, errors: readonly RunError[] = []): string[] {
  const reasons = errors.flatMap(describeError);
  return [`FAILED ${which}`, ...reasons.slice(0, MOST_LINES).map((line) => `  why: ${line.slice(0, LONGEST_LINE)}`)];
}

function describeError({ message, stack, diff, cause }: RunError): string[] {
  const frames = stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  const text = [message, diff, ...frames.slice(0, 3)].filter((part) => part !== undefined).join("\n");
  const lines = stripVTControlCharacters(text).split("\n");
  return [...lines.filter((line) => line.trim() !== ""), ...(cause ? describeError(cause) : [])];
}

function describeSkipped(tests: readonly TestCase[]): string[] {
  if (tests.length === 0) return [];
  // What `-t` leaves out has no reason to print.
  const reasons = tests.flatMap((test) => {
    const why = whySkipped(test);
    return why === undefined ? [] : [`  ${nameOf(test)} (${why})`];
  });
  return [`${tests.length} skipped${reasons.length > 0 ? ":" : ""}`, ...reasons];
}

/** The options say it (needs.ts), or the test itself with `skip(why)`. */
function whySkipped(test: TestCase): string | undefined {
  const result = test.result();
  return test.meta().skipped ?? (result.state === "skipped" ? result.note : undefined);
}
