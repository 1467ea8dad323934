import type { FeatureService } from "../feature.ts";
import { startDocumentConverter } from "./convert-documents.ts";
import { documentReader } from "./read-document.ts";

/** Sets up the threads that read documents. Each thread starts when it is needed. */
export function documentService(): FeatureService {
  const converter = startDocumentConverter();
  return { hooks: { readDocument: documentReader(converter) }, close: () => converter.close() };
}
