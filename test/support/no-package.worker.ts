/** Runs as a worker thread in which the packages that read documents are not installed. */
// biome-ignore lint/style/noDefaultExport: Piscina runs a worker file's default export
export default function convert() {
  return { fault: "package missing" };
}
