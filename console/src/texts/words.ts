import type { en } from "./en.ts";

/** A counted noun: its form for one, and its form for several. */
export type Noun = readonly [one: string, other: string];

/** The same shape with any text in the place of each text, so that a missing text does not compile. */
type Translated<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : T extends readonly string[]
      ? Noun
      : { readonly [Name in keyof T]: Translated<T[Name]> };

/** All texts of the console, in one language. */
export type Words = Translated<typeof en>;
