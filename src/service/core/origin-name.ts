export const MAX_ORIGIN_CHARS = 200;

/**
 * Returns whether a text can name an origin. Names are shown in terminals and typed into commands.
 */
export function isOriginName(text: string): boolean {
  const isPrintable = text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  return isPrintable && text.length > 0 && text.length <= MAX_ORIGIN_CHARS && text.trim() === text;
}
