import type { AgentClient } from "recollect/client";

/** The endings of documents that the service reads itself. All other files are sent as text. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  html: "text/html",
  htm: "text/html",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

/**
 * Stores files that the user has chosen, one after the other, under their names.
 *
 * @param folder the folder for them, such as `notes/`
 */
export async function uploadFiles(memory: AgentClient, files: readonly File[], folder = "") {
  const refused: { name: string; error: unknown }[] = [];
  let stored = 0;
  for (const file of files) {
    const ending = file.name.split(".").at(-1)?.toLowerCase() ?? "";
    const type = DOCUMENTS[ending];
    try {
      if (type === undefined) await memory.files.put(`${folder}${file.name}`, await file.text());
      else await memory.files.putDocument(`${folder}${file.name}`, new Blob([file], { type }));
      stored++;
    } catch (error) {
      refused.push({ name: file.name, error });
    }
  }
  return { stored, refused };
}
