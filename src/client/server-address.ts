/**
 * Returns the server's address. People copy addresses that end in `/v1` from other APIs, or the console's
 * address from a browser.
 */
export function serverAddress(url: string): string {
  return url.replace(/(?:\/(?:v1|console))?\/*$/, "");
}
