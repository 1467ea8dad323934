import { MODEL_TABLE } from "../onnx/model-table.ts";

/**
 * Whether a model is known to read a script; undefined when that is not known. The built-in models of the table learnt from English:
 * they see letters of other scripts, and no words. Of a model of the operator's own folder nothing is known.
 */
export function readsScript(
  { provider, model }: { provider: string; model: string },
  script: string,
): boolean | undefined {
  const isOfTable = provider === "builtin" && MODEL_TABLE.some(({ name }) => name === model);
  return isOfTable ? script === "Latin" : undefined;
}
