import type { Place } from "./completion-place.ts";

/** For fish 3 and newer. */
export function fishScript(places: readonly Place[]): string {
  const steps = places.flatMap(({ at }) => (at === "" ? [] : [quotedForFish(at)])).join(" ");
  return `# Completion for recollect in fish. Made by: recollect completion fish
function __recollect_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${steps}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ at, commands, options, choices }: Place): string[] {
  // The condition is a text that fish evaluates, so the words in it are quoted twice.
  const here = `complete -c recollect -n ${quotedForFish(`__recollect_at ${quotedForFish(at)}`)}`;
  const words = [...commands, ...choices.map((name) => ({ name, summary: "" }))];
  return [
    ...words.map(({ name, summary }) => `${here} -f -a ${name} -d ${quotedForFish(summary)}`),
    ...options.map(({ flags, summary, takesValue, choices: values }) => {
      const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const value = values.length > 0 ? ` -x -a ${quotedForFish(values.join(" "))}` : takesValue ? " -r" : "";
      return `${here} ${names.join(" ")}${value} -d ${quotedForFish(summary)}`;
    }),
  ];
}

/** In fish's single quotes a backslash escapes itself and the quote. */
function quotedForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
