/**
 * Returns a policy that allows only the page's own files: no inline script, nothing from other
 * origins, and no embedding in another page's frame.
 */
function policy(images: string): string {
  return [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src ${images}`, "connect-src 'self'"],
    ...["font-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join("; ");
}

/**
 * Returns the headers of an answer that a browser shows as a page.
 *
 * @param images the sources that its pictures may come from
 */
export function pageHeaders(images = "'self'"): Record<string, string> {
  return {
    "content-security-policy": policy(images),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** The cache policy of an answer whose address changes with its contents. */
export const KEPT_FOR_EVER = "public, max-age=31536000, immutable";
