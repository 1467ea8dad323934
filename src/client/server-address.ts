/**
 * Returns the address before `/v1`. People copy an address with `/v1` from other APIs, or that of the console,
 * which stands below the server's.
 */
export function serverAddress(url: string): string {
  return url.replace(/(?:\/(?:v1|console))?\/*$/, "");
}
