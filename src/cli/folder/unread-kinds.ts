/** Files that hold notes or writings, but that are not read, by their ending, each with a way out. */
const KINDS: readonly (readonly [ending: RegExp, reason: string])[] = [
  [/\.(?:docm?|odt|fodt|pages|rtfd?|wpd)$/i, "is not read; save it as DOCX, PDF or Markdown"],
  [/\.(?:xlsx?|xlsm|xlsb|ods|fods|numbers)$/i, "is not read; save its sheets as CSV"],
  [/\.(?:pptx?|pptm|odp|fodp)$/i, "is not read; save it as PDF"],
  [/\.(?:epub|mobi|azw3?|djvu?|chm)$/i, "is not read; convert it to HTML or PDF"],
  [
    /\.(?:opml|enex|one|onepkg|notebook|nbx|jex|bear2bk|base|excalidraw|xmind|smmx|dynalist)$/i,
    "is not read; export it as Markdown",
  ],
  [/\.(?:ipynb|nb)$/i, "is not read; export it as Markdown or HTML"],
  [/\.(?:eml|emlx|mbox|msg|pst|srt|vtt)$/i, "is not read; save its text as a file"],
  [/\.(?:ics|vcf)$/i, "is not read; export it as CSV or text"],
  [/\.(?:tex|ltx|typ|fountain|xhtml|mht|mhtml|webarchive)$/i, "is not read; convert it to Markdown, HTML or PDF"],
];

/** Returns why a file with notes is not read, by its name; undefined for other files. */
export function unreadKind(name: string): string | undefined {
  const reason = KINDS.find(([ending]) => ending.test(name))?.[1];
  return reason === undefined ? undefined : `${name.slice(name.lastIndexOf(".") + 1).toLowerCase()} ${reason}`;
}
