import { options } from "preact";

/** The events after which a user expects the next one to see what they have changed. */
const EVENTS = ["keydown", "input", "pointerdown", "click", "submit"] as const;
/** The time after which effects run in a tab that shows no frames, in milliseconds. */
const HIDDEN_MS = 100;

/**
 * Makes Preact run the effects of a render before the next event, and else after the next frame, as
 * React does. Preact alone only waits for the frame: two keys in quick succession then meet an effect,
 * or a mutation, of the render before.
 */
export function runEffectsBeforeEvents(): void {
  let waiting: (() => void) | undefined;
  const flush = () => {
    const effects = waiting;
    waiting = undefined;
    effects?.();
  };
  options.requestAnimationFrame = (effects) => {
    waiting = effects;
    requestAnimationFrame(() => setTimeout(flush));
    setTimeout(flush, HIDDEN_MS);
  };
  for (const event of EVENTS) addEventListener(event, flush, { capture: true });
}
