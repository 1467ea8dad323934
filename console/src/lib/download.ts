/** Makes the browser save a text or a file under a name. */
export function download(name: string, content: string | Blob): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content]) : content);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // If the address were revoked at once, the browser might not have read it yet.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
