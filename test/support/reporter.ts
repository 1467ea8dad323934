import type { Reporter, TestModule } from "vitest/node";

/** Prints the plain last line that the README promises and CI reads: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    // A file that cannot be loaded has no tests to count, yet it failed.
    const broken = modules.filter((module) => module.state() === "failed" && module.children.size === 0).length;
    const failed = tests.filter((test) => test.result().state === "failed").length + broken + errors.length;
    // After the default reporter's own summary, which is written when the process is about to end.
    process.on("exit", () => process.stdout.write(`\n${passed} passed, ${failed} failed\n`));
  }
}
