import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";

/**
 * The elements of a memory's text that are shown: text and its structure, but no image, form,
 * frame, style or script that its author put there.
 */
const ALLOWED = {
  ALLOWED_TAGS: [
    ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em"],
    ...["strong", "del", "a", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub"],
  ],
  ALLOWED_ATTR: ["href", "align", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
};
const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * Parses Markdown. Raw HTML becomes visible text, and an image becomes its alternative text or its
 * address. The sanitizer would remove both, but merely parsing them makes the browser report every
 * handler and style to the page's policy.
 */
const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text, block }) => (block ? `<p>${escaped(text)}</p>` : escaped(text)),
    image: ({ text, href }) => escaped(text === "" ? href : text),
  },
});
/**
 * The maximum length of a text that is rendered. A longer text is shown as source, because
 * rendering a megabyte of Markdown would block the page.
 */
const MOST_CHARACTERS = 200_000;

/**
 * Renders a file's Markdown. Anybody may have written the file, so the resulting HTML is sanitized
 * before it is shown.
 */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => {
    if (text.length > MOST_CHARACTERS) return undefined;
    const clean = DOMPurify.sanitize(marked.parse(text, { async: false }), {
      ...ALLOWED,
      RETURN_DOM_FRAGMENT: true,
    });
    for (const link of clean.querySelectorAll("a")) {
      link.rel = "noopener noreferrer nofollow";
      link.target = "_blank";
    }
    const box = document.createElement("div");
    box.append(clean);
    return box.innerHTML;
  }, [text]);
  if (html === undefined) return <pre className="text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned above; the policy of the page allows no script either.
  return <div className="prose markdown max-w-[46rem]" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}
