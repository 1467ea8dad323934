/**
 * Whether a model is known to read a script; undefined when that is not known. The built-in models learnt from English: they see
 * letters of other scripts, and no words.
 */
export function readsScript({ provider }: { provider: string }, script: string): boolean | undefined {
  return provider === "builtin" ? script === "Latin" : undefined;
}
