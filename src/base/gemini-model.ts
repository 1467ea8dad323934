/** The resource name of a model of the Gemini API: `models/<name>`, or the name of a tuned one as it is. */
export function geminiModelPath(model: string): string {
  return model.startsWith("models/") || model.startsWith("tunedModels/") ? model : `models/${model}`;
}
