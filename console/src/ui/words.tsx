/** Shows a sentence. Parts between backticks are shown as code. */
export function Words({ text }: { text: string }) {
  let at = 0;
  return text.split("`").map((part, number) => {
    const key = at;
    at += part.length + 1;
    return number % 2 === 1 ? <code key={key}>{part}</code> : <span key={key}>{part}</span>;
  });
}
