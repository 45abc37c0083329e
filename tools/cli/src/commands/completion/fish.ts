import { wordFunctions, type CompletedCommand } from './words.ts';

/**
 * The script for fish. The shared functions run in `sh`; the words behind them are filtered by
 * fish, which gets the option of `--option=` in front of each value and the descriptions of
 * commands. Without words, files are offered.
 */
export function fishCompletion(verbs: readonly CompletedCommand[]): string {
  return `set -g __ccp_functions ${quoted(wordFunctions(verbs))}
function __ccp_describe
  switch $argv[1]
${topOf(verbs)
  .map(({ name, description }) => `    case ${name}\n      echo \\t${quoted(description)}`)
  .join('\n')}
  end
end
function __ccp_complete
  set -l current (commandline -ct)
  set -l before (commandline -opc)
  set -e before[1]
  set -l offered (sh -c $__ccp_functions\\n'_ccp_words "$@"' ccp "$current" $before)
  if not set -q offered[1]
    __fish_complete_path "$current"
    return
  end
  set -l option (string match -r -- '^--[^=]*=' "$current")
  for word in $offered
    set -l description
    __fish_use_subcommand; and set description (__ccp_describe $word)
    printf '%s\\n' "$option$word$description"
  end
end
complete -c ccp -f -a '(__ccp_complete)'`;
}

function topOf(
  verbs: readonly CompletedCommand[],
): readonly { readonly name: string; readonly description: string }[] {
  return verbs.flatMap(({ path: [name, ...more], description }) =>
    name === undefined || more.length > 0 ? [] : [{ name, description }],
  );
}

/** A text in single quotes of fish. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
