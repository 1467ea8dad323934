import type { Feature } from "../feature.ts";

/** Documents as files: PDF, HTML, DOCX, tables and canvases, whose text becomes memory. */
export const documents: Feature = {
  name: "documents",
  loadService: async () => (await import("./service.ts")).documentService(),
};
