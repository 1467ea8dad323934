/** The oldest release that package.json allows in `engines`. */
const OLDEST = { major: 22, minor: 22 };

/**
 * Returns a sentence that says which Node.js is needed; undefined if this one will do. This file
 * imports nothing: an older Node.js must be able to load it.
 *
 * @param version the release that runs, such as `22.22.0`
 */
export function nodeProblem(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `Recollect needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, and this is ${version}: install it from https://nodejs.org, or with a version manager.`;
}
