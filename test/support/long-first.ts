import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Their files start processes or live through weeks, and take minutes. */
const LONG = /\/test\/(acceptance|docs|scenarios)\//;

/**
 * Begins the longest files first. Without durations of an earlier run, as on a new machine, vitest goes by size, and the documents,
 * whose test files are small, would run at the end beside an idle processor.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
