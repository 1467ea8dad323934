/**
 * Returns the resource name of a model of the Gemini API: `models/<name>`. The name of a tuned
 * model stays as it is.
 */
export function geminiModelPath(model: string): string {
  return model.startsWith("models/") || model.startsWith("tunedModels/") ? model : `models/${model}`;
}
