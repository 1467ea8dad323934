/**
 * Okabe and Ito's colours, which colour-blind readers tell apart. They are darkened for a white
 * page and lightened for a dark one.
 */
const LIGHT = ["#0063a0", "#b35900", "#00735a", "#9c3f78", "#6b6b00", "#4a4a4a"];
const DARK = ["#6cb8f0", "#f0a040", "#35c79d", "#e39cc6", "#d8d05a", "#c0c0c0"];

const variables = (colours: readonly string[]) => colours.map((colour, index) => `--c${index}:${colour};`).join("");
const classes = LIGHT.map(
  (_, index) =>
    `.c${index}{fill:var(--c${index})}.s${index}{stroke:var(--c${index})}.b${index}{background:var(--c${index})}`,
).join("\n");

/** The stylesheet of the report. */
export const STYLE = `
:root{--ink:#1c1c1c;--paper:#fff;--faint:#d4d4d4;--soft:#f3f3f3;--gain:#00735a;--loss:#b02a1a;${variables(LIGHT)}}
@media (prefers-color-scheme: dark){:root{--ink:#ececec;--paper:#151515;--faint:#444;--soft:#222;--gain:#35c79d;--loss:#ff8f7d;${variables(DARK)}}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}
svg{width:100%;height:auto;display:block}
svg text{fill:var(--ink);font-size:12px}
.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:var(--faint);fill:none}.whisker{stroke:var(--ink);stroke-width:1.5;fill:none}.line{fill:none;stroke-width:2}
.gain{fill:var(--gain)}.loss{fill:var(--loss)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.4em}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;width:100%}
caption{text-align:left;padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--faint);font-variant-numeric:tabular-nums}
thead th{background:var(--soft)}
td p{margin:0 0 .5rem;overflow-wrap:anywhere}
footer{margin-top:3rem;font-size:.875rem}
${classes}
`;
