import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Ends a run with what was not tested and why, what failed, and the plain last line that the README promises and CI reads:
 * `N passed, N failed`.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    // A file that cannot be loaded, or whose suite cannot begin, has no failed test to count, yet it failed.
    const isCounted = (module: TestModule) => inState("failed").some((test) => test.module === module);
    const broken = modules.filter((module) => module.state() === "failed" && !isCounted(module));
    const failures = [
      ...inState("failed").map((test) => `${test.module.relativeModuleId}: ${test.fullName}`),
      ...broken.map((module) => module.relativeModuleId),
      ...errors.map(() => "an error outside of a test"),
    ];
    const lines = [
      ...describeSkipped(inState("skipped")),
      ...["", ...failures.map((which) => `FAILED ${which}`)],
      `${inState("passed").length} passed, ${failures.length} failed`,
    ];
    // After the default reporter's own summary, which is written when the process is about to end.
    process.on("exit", () => process.stdout.write(`\n${lines.join("\n")}\n`));
  }
}

function describeSkipped(tests: readonly TestCase[]): string[] {
  if (tests.length === 0) return [];
  // What `-t` leaves out has no reason to print.
  const reasons = tests.flatMap((test) => {
    const why = whySkipped(test);
    return why === undefined ? [] : [`  ${test.module.relativeModuleId}: ${test.fullName} (${why})`];
  });
  return [`${tests.length} skipped${reasons.length > 0 ? ":" : ""}`, ...reasons];
}

/** The options say it (needs.ts), or the test itself with `skip(why)`. */
function whySkipped(test: TestCase): string | undefined {
  const result = test.result();
  return test.meta().skipped ?? (result.state === "skipped" ? result.note : undefined);
}
