import { fillFactor, POOR, QUALITY } from "./break-quality.ts";

/** A line that is not blank, or a piece of an over-long one: what a chunk is packed from. */
export interface Unit {
  /** 0-based. */
  readonly line: number;
  /** Offsets in the joined lines; `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** The same span measured in quarters of a token from the start of the file, so that a difference is a weight. */
  readonly from: number;
  readonly to: number;
  /** The same in the tokens of the model's limit; 0 without a limit. */
  readonly tokensFrom: number;
  readonly tokensTo: number;
  /** How good it is to start a chunk here, 0 to 1. */
  readonly quality: number;
  /** Whether it is a piece of a line. */
  readonly isPiece: boolean;
}

/** How large a chunk may be. */
export interface Bounds {
  /** Most weight. */
  readonly budget: number;
  /** Most weight that is repeated from the chunk before. */
  readonly overlap: number;
  /** Most tokens of a chunk that begins with this unit. */
  readonly room: (unit: Unit) => number;
  /** Whether units joined are more tokens than that: a word that was cut in two is not the sum of its parts. */
  readonly exceeds: (first: Unit, last: Unit) => boolean;
}

/** A chunk as a range of units, both inclusive. */
interface Span {
  readonly first: number;
  readonly last: number;
}

interface Cut {
  /** The unit the next chunk's new text starts with. */
  readonly next: number;
  readonly quality: number;
}

/**
 * Packs units into spans within the bounds, left to right. Each chunk ends at the boundary whose quality times fill is
 * best, so the result depends only on what is near: an edit moves no chunk beyond the next good heading. Linear: a chunk
 * looks at no more than one budget of text.
 *
 * A chunk that does not start a section repeats up to `overlap` of the text before it. At a heading there is no overlap:
 * the heading path already gives the context, and the end of another section would only blur the embedding.
 */
export function packUnits(units: readonly Unit[], bounds: Bounds): Span[] {
  const spans: Span[] = [];
  let first = 0;
  let fresh = 0;
  while (fresh < units.length) {
    let cut = soundCut(units, first, fresh, bounds);
    if (first < fresh && cut.quality < POOR) {
      // Repeating old text must not be what splits a block that would fit.
      const without = soundCut(units, fresh, fresh, bounds);
      if (without.quality > cut.quality) {
        cut = without;
        first = fresh;
      }
    }
    spans.push({ first, last: cut.next - 1 });
    first = overlapStart(units, first, cut, bounds.overlap);
    fresh = cut.next;
  }
  return spans;
}

/** The best cut whose pieces of lines fit when they are put together. */
function soundCut(units: readonly Unit[], first: number, fresh: number, bounds: Bounds): Cut {
  const from = units[first];
  for (let end = units.length; ; ) {
    const cut = bestCut(units, { first, fresh, end }, bounds);
    const to = units[cut.next - 1];
    if (cut.quality < 0 || from === undefined || to === undefined) return cut;
    if (!hasPiece(units, first, cut.next) || !bounds.exceeds(from, to)) return cut;
    if (cut.next === fresh + 1) return { next: cut.next, quality: -1 };
    end = cut.next - 1;
  }
}

function hasPiece(units: readonly Unit[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (units[i]?.isPiece) return true;
  }
  return false;
}

/** The best cut before `end`. Quality is negative when the repeated text leaves no room for the first new unit. */
function bestCut(
  units: readonly Unit[],
  { first, fresh, end }: { first: number; fresh: number; end: number },
  { budget, room }: Bounds,
): Cut {
  const start = units[first];
  const origin = start?.from ?? 0;
  const tokenEnd = start === undefined ? 0 : start.tokensFrom + room(start);
  let best: Cut = { next: fresh + 1, quality: -1 };
  let bestScore = -1;
  for (let last = fresh; ; last++) {
    const unit = units[last];
    if (unit === undefined) {
      return { next: last, quality: 1 };
    }
    if (last >= end || unit.to - origin > budget || unit.tokensTo > tokenEnd) {
      return best;
    }
    const quality = units[last + 1]?.quality ?? 1;
    const score = quality * fillFactor((unit.to - origin) / budget);
    // At equal scores the later boundary: fewer chunks.
    if (score >= bestScore) {
      best = { next: last + 1, quality };
      bestScore = score;
    }
  }
}

/** Where the chunk after `cut` starts: at `cut.next`, or earlier by whole units of at most `overlap`. */
function overlapStart(units: readonly Unit[], previousFirst: number, cut: Cut, overlap: number): number {
  const end = units[cut.next - 1]?.to ?? 0;
  if (cut.quality >= QUALITY.section) {
    return cut.next;
  }
  let best = cut.next;
  let bestScore = -1;
  // Beyond the previous chunk's own start, or a chunk could contain its predecessor.
  for (let i = cut.next - 1; i > previousFirst; i--) {
    const unit = units[i];
    if (unit === undefined || end - unit.from > overlap) {
      break;
    }
    const score = unit.quality * fillFactor((end - unit.from) / overlap);
    if (score > bestScore) {
      best = i;
      bestScore = score;
    }
  }
  return best;
}
