import { optionPatterns, type Place, quoted, stepPatterns } from "./completion-place.ts";

/** For bash 3.2 and newer, without the package bash-completion. */
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
