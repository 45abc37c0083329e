import type { CompletedCommand } from './words.ts';

/** The script for fish: the commands and flags of the top level. */
export function fishCompletion(verbs: readonly CompletedCommand[]): string {
  return topOf(verbs)
    .flatMap(({ name, description, flags }) => [
      `complete -c ccp -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
      ...flags.map(
        (flag) => `complete -c ccp -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
      ),
    ])
    .join('\n');
}

function topOf(
  verbs: readonly CompletedCommand[],
): readonly (CompletedCommand & { readonly name: string })[] {
  return verbs
    .filter(({ path }) => path.length === 1)
    .map((verb) => ({ ...verb, name: verb.path.join(' ') }));
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
