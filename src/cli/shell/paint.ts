import { styleText } from "node:util";

/** Returns the text in a style, if `colour` is set. */
export function paint(style: "bold" | "yellow" | "red" | "dim", text: string, colour: boolean): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
