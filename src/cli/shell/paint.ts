import { styleText } from "node:util";

/** Text in a style where the terminal shows styles. */
export function paint(style: "bold" | "yellow" | "red" | "dim", text: string, colour: boolean): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
