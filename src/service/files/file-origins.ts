import { AppError } from "../../base/errors.ts";
import type { LockedFile } from "../../db/agent/files/files.ts";

/** Whose files a batch is about: it changes and deletes those of its origin, and no others. */
export interface Claim {
  origin: string;
  /** Files that it puts become the origin's whosever they are. It still deletes its own alone. */
  takeOver: boolean;
}

interface Hashed {
  path: string;
  hash: string;
}

/**
 * Refuses a batch that would change or delete what another origin sent, or somebody wrote. Asked while the files are locked,
 * so nobody can come in between. What is already as the batch wants it is no conflict.
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
      "Another origin sent these files, or somebody wrote them since; they are left as they are. takeOver puts them all the same.",
      { details: { paths } },
    );
}

/** Of files that are already as a batch wants them, the paths of those that become its origin's: nobody else's, unless it takes over. */
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
