import { z } from "zod";

export const MAX_ORIGIN_CHARS = 200;

/** Whether a text can name an origin: it is shown in terminals and typed into commands. */
export function isOriginName(text: string): boolean {
  const isPrintable = text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  return isPrintable && text.length > 0 && text.length <= MAX_ORIGIN_CHARS && text.trim() === text;
}

/** The name of an origin, such as a folder that is synced. */
export const originName = z
  .string()
  .max(MAX_ORIGIN_CHARS)
  .refine(isOriginName, "must be printable text, without space around it");

/** The origins of an agent's files. */
export const originList = z.object({ origins: z.array(z.object({ origin: z.string(), files: z.int() })) });
