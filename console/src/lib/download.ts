/** Has the browser save a text or a file under a name. */
export function download(name: string, content: string | Blob): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content]) : content);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // At once the address could be gone before the browser has read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
