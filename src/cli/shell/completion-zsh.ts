import { optionPatterns, type Place, quoted, stepPatterns } from "./completion-place.ts";

/** For zsh with compinit: sourced, or as a file \`_recollect\` in fpath. */
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
