const ENCODE = "percent-encode # (%23), / (%2F) and ? (%3F) in the password";

/**
 * Returns what is wrong with the URL of a Postgres server; undefined if nothing is. A password with
 * `#`, `/` or `?` ends the server's part of the URL, and its beginning is then read as a port. The
 * answer quotes nothing of the URL, which has the password.
 */
export function postgresUrlProblem(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return "must begin with postgres://";
  // With a user and no host, pg connects to a socket.
  const withHost = text.replace("@/", "@localhost/");
  if (!URL.canParse(withHost)) return `is no valid URL; ${ENCODE}`;
  const { username, pathname, search, hash } = new URL(withHost);
  const isCut = hash !== "" || (username === "" && (pathname.includes("@") || /^\?[^=]*@/.test(search)));
  return isCut ? `cannot be read beyond a special character; ${ENCODE}` : undefined;
}

/**
 * Returns what is wrong with the address of a server; undefined if nothing is. `fetch` refuses an
 * address with a password, with an error that quotes it.
 */
export function httpUrlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return "Invalid URL; it must begin with http:// or https://";
  return url.username === "" && url.password === "" ? undefined : "must not contain a user or a password";
}
