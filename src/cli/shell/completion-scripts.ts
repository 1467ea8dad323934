/** A command with the words that can follow it, as the scripts need them. */
export interface Place {
  /** The words of the command, each with a space before it; empty for `recollect` itself. */
  at: string;
  commands: readonly { name: string; summary: string }[];
  options: readonly { flags: readonly string[]; summary: string; takesValue: boolean; choices: readonly string[] }[];
  /** The possible values of the command's first argument. */
  choices: readonly string[];
}

/** Returns the script for bash 3.2 and newer. It does not need the package bash-completion. */
export function bashScript(places: readonly Place[]): string {
  const choices = places.flatMap(({ at, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map(
        (option) =>
          `    ${option.flags.map((flag) => quoted(`${at} ${flag}`)).join("|")}) words=${quoted(option.choices.join(" "))} ;;`,
      ),
  );
  const flags = places.map(
    ({ at, options }) => `      ${quoted(at)}) words=${quoted(options.flatMap((option) => option.flags).join(" "))} ;;`,
  );
  const next = places
    .map((place) => ({ at: place.at, words: [...place.commands.map(({ name }) => name), ...place.choices] }))
    .filter(({ words }) => words.length > 0)
    .map(({ at, words }) => `      ${quoted(at)}) words=${quoted(words.join(" "))} ;;`);
  return `# Completion for recollect in bash. Made by: recollect completion bash
_recollect() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${stepPatterns(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${choices.join("\n")}
    ${optionPatterns(places, (option) => option.takesValue && option.choices.length === 0)}) return ;;
  esac
  if [[ -n $words ]]; then
    :
  elif [[ $cur == -* ]]; then
    case "$at" in
${flags.join("\n")}
    esac
  else
    case "$at" in
${next.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _recollect recollect
`;
}

/**
 * Returns the script for zsh with compinit. It can be sourced, or be a file \`_recollect\` in
 * fpath.
 */
export function zshScript(places: readonly Place[]): string {
  const choices = places.flatMap(({ at, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map(
        (option) =>
          `    ${option.flags.map((flag) => quoted(`${at} ${flag}`)).join("|")}) compadd -- ${option.choices.map(quoted).join(" ")}; return ;;`,
      ),
  );
  const flags = places.map(({ at, options }) => {
    const found = options.flatMap(({ flags: names, summary }) => names.map((name) => quoted(`${name}:${summary}`)));
    return `      ${quoted(at)}) found=(${found.join(" ")}) ;;`;
  });
  const next = places
    .map(({ at, commands, choices: values }) => ({
      at,
      found: [...commands.map(({ name, summary }) => quoted(`${name}:${summary}`)), ...values.map(quoted)],
    }))
    .filter(({ found }) => found.length > 0)
    .map(({ at, found }) => `      ${quoted(at)}) found=(${found.join(" ")}) ;;`);
  return `#compdef recollect
# Completion for recollect in zsh. Made by: recollect completion zsh
_recollect() {
  local at= i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${stepPatterns(places)}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${choices.join("\n")}
    ${optionPatterns(places, (option) => option.takesValue && option.choices.length === 0)}) _files; return ;;
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case "$at" in
${flags.join("\n")}
    esac
    _describe -o option found
  else
    case "$at" in
${next.join("\n")}
    esac
    if (( \${#found} )); then _describe command found; else _files; fi
  fi
}
if [[ \${funcstack[1]} == _recollect ]]; then _recollect "$@"; else compdef _recollect recollect; fi
`;
}

/** Returns the text in single quotes of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns `case` patterns of the words that lead from one command to the next. */
function stepPatterns(places: readonly Place[]): string {
  return places.flatMap(({ at }) => (at === "" ? [] : [quoted(at)])).join("|");
}

/**
 * Returns `case` patterns of a command and one of its options, for each option that `wanted`
 * accepts.
 */
function optionPatterns(places: readonly Place[], wanted: (option: Place["options"][number]) => boolean): string {
  const found = places.flatMap(({ at, options }) =>
    options.filter(wanted).flatMap(({ flags }) => flags.map((flag) => quoted(`${at} ${flag}`))),
  );
  return found.join("|");
}

/** Returns the script for fish 3 and newer. */
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

/** Quotes text for fish. In fish's single quotes a backslash escapes itself and the quote. */
function quotedForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
