import { AppError } from "../base/errors.ts";

/**
 * Counts the streams of one kind that are open on this process, each of which holds memory and a share of the database.
 *
 * @returns takes a place and gives back what frees it, once; throws AppError `rate_limited` when there is none
 */
export function streamLimit(most: number, what: string): () => () => void {
  let open = 0;
  return () => {
    if (open >= most)
      throw new AppError("rate_limited", `This server runs at most ${most} ${what} at a time; try again later.`);
    open++;
    let freed = false;
    return () => {
      if (!freed) open--;
      freed = true;
    };
  };
}
