import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/**
 * The most lines of a failure's reason: enough to tell what went wrong from the end of a log, if
 * only the end is kept.
 */
const MOST_LINES = 30;
const LONGEST_LINE = 400;

/** Vitest's data about an error. An assertion's error has a diff. */
interface RunError {
  message?: string;
  stack?: string;
  diff?: string;
  cause?: RunError;
}

/**
 * Ends a run with the skipped tests and why, the failures and why, and the plain last line that the
 * README promises and CI reads: `N passed, N failed`.
 */
export default class ClosingLine implements Reporter {
  readonly #options: { note?: string };

  /** @param options.note is printed before the last line */
  constructor(options: { note?: string } = {}) {
    this.#options = options;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<RunError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    // A file that cannot be loaded, or a suite that cannot begin, has failed although it has no
    // failed test to count.
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
      ...(this.#options.note === undefined ? [] : [this.#options.note, ""]),
      `${inState("passed").length} passed, ${failures.length} failed`,
    ];
    // Prints at exit, after the default reporter's own summary, which is written when the process
    // is about to end.
    process.on("exit", () => process.stdout.write(`\n${lines.join("\n")}\n`));
  }
}

function nameOf(one: TestCase | TestSuite | TestModule): string {
  return one.type === "module" ? one.relativeModuleId : `${one.module.relativeModuleId}: ${one.fullName}`;
}

/**
 * Describes a failure. The lines begin with words that `.ci/run` looks for, to print them again at
 * the end.
 */
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
  // Tests that `-t` leaves out have no reason to print.
  const reasons = tests.flatMap((test) => {
    const why = whySkipped(test);
    return why === undefined ? [] : [`  ${nameOf(test)} (${why})`];
  });
  return [`${tests.length} skipped${reasons.length > 0 ? ":" : ""}`, ...reasons];
}

/**
 * Returns why a test was skipped: its options say it (needs.ts), or the test itself with
 * `skip(why)`.
 */
function whySkipped(test: TestCase): string | undefined {
  const result = test.result();
  return test.meta().skipped ?? (result.state === "skipped" ? result.note : undefined);
}
