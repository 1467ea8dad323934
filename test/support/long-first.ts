import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders whose test files start processes, drive a browser or play weeks, and take minutes. */
const LONG = /\/test\/(acceptance|console|docs|scenarios)\//;

/**
 * Begins the longest files first. Without durations of an earlier run, as on a new machine, vitest
 * orders by size. The tests of the documents have small files, so they would run at the end while
 * the other processors are idle.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
