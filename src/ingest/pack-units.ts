import { fillFactor, POOR, QUALITY } from "./break-quality.ts";

/** A line that is not blank, or a piece of an over-long line. Chunks are packed from units. */
export interface Unit {
  /** The 0-based line. */
  readonly line: number;
  /** Offsets in the joined lines; `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * The weight of the file before the unit's start and before its end, in quarters of a token.
   * Their difference is the weight of the span.
   */
  readonly from: number;
  readonly to: number;
  /**
   * The tokens of the file before the unit's start and before its end, as the model's limit counts
   * them; 0 without a limit.
   */
  readonly tokensFrom: number;
  readonly tokensTo: number;
  /** How good it is to start a chunk here, 0 to 1. */
  readonly quality: number;
  /** Whether the unit is a piece of a line. */
  readonly isPiece: boolean;
}

/** The bounds of a chunk's size. */
export interface Bounds {
  /** The most weight of a chunk. */
  readonly budget: number;
  /** The most weight that is repeated from the chunk before. */
  readonly overlap: number;
  /** Returns the most tokens of a chunk that begins with this unit. */
  readonly room: (unit: Unit) => number;
  /**
   * Returns whether the joined units have more tokens than `room`. The sum over the units may be
   * too low, because a word cut in two has other tokens than its parts.
   */
  readonly exceeds: (first: Unit, last: Unit) => boolean;
}

/** A chunk as a range of units; both ends are inclusive. */
interface Span {
  readonly first: number;
  readonly last: number;
}

interface Cut {
  /** The first unit of the next chunk's new text. */
  readonly next: number;
  readonly quality: number;
}

/**
 * Packs units into spans within the bounds, left to right. Each chunk ends at the boundary with the
 * best product of quality and fill factor. So the result depends only on the text nearby: an edit
 * moves no chunk beyond the next good heading. Linear: a chunk looks at no more than one budget of
 * text.
 *
 * A chunk that does not start a section repeats up to `overlap` of the text before it. At a heading
 * there is no overlap: the heading path already gives the context, and the end of another section
 * would only blur the embedding.
 */
export function packUnits(units: readonly Unit[], bounds: Bounds): Span[] {
  const spans: Span[] = [];
  let first = 0;
  let fresh = 0;
  while (fresh < units.length) {
    let cut = soundCut(units, first, fresh, bounds);
    if (first < fresh && cut.quality < POOR) {
      // A block that would fit must not be split because of repeated text.
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

/** Returns the best cut for which the pieces of lines, joined again, fit the limit of tokens. */
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

/**
 * Returns the best cut before `end`. Its quality is negative when the repeated text leaves no room
 * for the first new unit.
 */
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
    // At equal scores takes the later boundary, which makes fewer chunks.
    if (score >= bestScore) {
      best = { next: last + 1, quality };
      bestScore = score;
    }
  }
}

/** Returns the start of the chunk after `cut`: `cut.next`, or an earlier unit within `overlap`. */
function overlapStart(units: readonly Unit[], previousFirst: number, cut: Cut, overlap: number): number {
  const end = units[cut.next - 1]?.to ?? 0;
  if (cut.quality >= QUALITY.section) {
    return cut.next;
  }
  let best = cut.next;
  let bestScore = -1;
  // Never goes back to the previous chunk's start, or a chunk could contain its predecessor.
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
