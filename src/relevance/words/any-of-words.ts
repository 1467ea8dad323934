/** Returns an expression, for any letter case, that matches one of the alternatives where it stands as whole words. */
export function anyOfWords(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}'’])(?:${alternatives.join("|")})(?![\\p{L}\\p{M}\\p{N}])`, "iu");
}
