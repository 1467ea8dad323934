/** Only what the page's own files are: no script inline, nothing from elsewhere, in no other page's frame. */
function policy(images: string): string {
  return [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src ${images}`, "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join("; ");
}

/** Headers of what a browser shows as a page. @param images where its pictures may come from */
export function pageHeaders(images = "'self'"): Record<string, string> {
  return {
    "content-security-policy": policy(images),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
}

/** For what has its contents in its address. */
export const KEPT_FOR_EVER = "public, max-age=31536000, immutable";
