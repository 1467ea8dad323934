import { AppError } from "../../base/errors.ts";
import type { LockedFile } from "../../db/agent/files/files.ts";

/** The origin of a batch, which changes and deletes only the files of this origin. */
export interface Claim {
  origin: string;
  /** Whether the files that it puts become the origin's, whoever owned them. It still deletes only its own. */
  takeOver: boolean;
}

interface Hashed {
  path: string;
  hash: string;
}

/**
 * Refuses a batch that would change or delete a file that another origin sent or somebody wrote. It runs while the files
 * are locked. A file that already has the wanted content is no conflict.
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
 * Of files that already have the wanted content, the paths of those that become the origin's: files without an origin, or
 * with `takeOver` any.
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
