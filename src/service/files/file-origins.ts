import { AppError } from "../../base/errors.ts";
import type { LockedFile } from "../../db/agent/files/files.ts";

/** The origin of a batch. The batch changes and deletes only files of this origin. */
export interface Claim {
  origin: string;
  /**
   * Whether the origin takes over the files that it puts, even files of another origin or without
   * one. It still deletes only its own files.
   */
  takeOver: boolean;
}

interface Hashed {
  path: string;
  hash: string;
}

/**
 * Refuses a batch that would change or delete a file that another origin sent or a caller wrote.
 * Runs while the files are locked. A file that already has the wanted content is no conflict.
 *
 * @throws AppError `origin_conflict` with the paths
 */
export function requireOwn(
  { origin, takeOver }: Claim,
  { put, toDelete }: { put: readonly Hashed[]; toDelete: readonly string[] },
  locked: ReadonlyMap<string, LockedFile>,
): void {
  const isOthers = (path: string) => locked.has(path) && locked.get(path)?.origin !== origin;
  const isOther = ({ path, hash }: Hashed) => isOthers(path) && locked.get(path)?.hash !== hash;
  const paths = [...(takeOver ? [] : put.filter(isOther).map(({ path }) => path)), ...toDelete.filter(isOthers)];
  if (paths.length > 0)
    throw new AppError(
      "origin_conflict",
      "These files belong to another origin, or were written since. They were not changed. Send takeOver to replace them.",
      { details: { paths } },
    );
}

/**
 * Returns the paths of the unchanged files that become the origin's: files without an origin, or
 * with `takeOver` any file.
 */
export function adoptable(
  { origin, takeOver }: Claim,
  same: readonly Hashed[],
  locked: ReadonlyMap<string, LockedFile>,
): string[] {
  return same.flatMap(({ path, hash }) => {
    const file = locked.get(path);
    const isFree = file !== undefined && file.hash === hash && file.origin !== origin;
    return isFree && (takeOver || file.origin === null) ? [path] : [];
  });
}
