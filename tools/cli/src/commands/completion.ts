import type { Command } from 'commander';
import { CcpError } from '#core';
import type { CommandContext } from '../program.ts';

/** `ccp completion SHELL`: a script made from the command line's own definition. */
export function completion(program: Command): (context: CommandContext, names: readonly string[]) => Promise<number> {
  return async ({ output }, [shell = '']) => {
    const write = SHELLS[shell];
    if (write === undefined) throw new CcpError({ code: 'usage', message: `no completion for the shell "${shell}"`, hint: `one of: ${Object.keys(SHELLS).join(', ')}` });
    const verbs = program.commands.map((command): Verb => ({
      name: command.name(),
      description: command.description(),
      flags: [...program.options, ...command.options].flatMap(({ long }) => (long == null ? [] : [long])),
    }));
    output.result(write(verbs), verbs);
    return 0;
  };
}

interface Verb {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly string[];
}

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = {
  bash: (verbs) => `_ccp() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]} words=
  if [ "$COMP_CWORD" = 1 ]; then words='${verbs.map(({ name }) => name).join(' ')}'
  elif [ "$before" = --series ]; then words=$(sed -n 's/^  "\\{0,1\\}\\([a-z0-9.]*\\)"\\{0,1\\}:.*/\\1/p' images/series.yaml 2>/dev/null)
  elif [ "\${current#-}" != "$current" ]; then case $verb in
${verbs.map(({ name, flags }) => `    ${name}) words='${flags.join(' ')}' ;;`).join('\n')}
  esac
  else case $verb in
    build | plan | explain | graph | lock | fetch | run | inspect) words=$(cd images 2>/dev/null && ls -d [a-z]*/ | tr -d /) ;;
    render | up) words=$(cd deploy-specs 2>/dev/null && ls -d [a-z]*/ | tr -d /) ;;
    cache) words='show prune' ;;
    completion) words='bash zsh fish' ;;
  esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _ccp ccp ./ccp`,
  zsh: (verbs) => `#compdef ccp
local -a verbs=(${verbs.map(({ name, description }) => `'${name}:${quoted(description)}'`).join(' ')})
if (( CURRENT == 2 )); then _describe verb verbs; return; fi
case $words[2] in
${verbs.map(({ name, flags }) => `  ${name}) _values flag ${flags.map((flag) => `'${flag}'`).join(' ')} ;;`).join('\n')}
esac
[[ -d images ]] && compadd -- images/[a-z]*(/:t)`,
  fish: (verbs) =>
    verbs
      .flatMap(({ name, description, flags }) => [
        `complete -c ccp -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
        ...flags.map((flag) => `complete -c ccp -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
      ])
      .join('\n'),
};

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
