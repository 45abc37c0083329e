import type { Verb } from './completion.ts';

const IMAGES = '$(cd images 2>/dev/null && ls -d [a-z]*/ | tr -d /)';
const SITES = '$(cd deploy-specs 2>/dev/null && ls -d [a-z]*/ | tr -d /)';
const SERIES = `$(sed -n 's/^  "\\{0,1\\}\\([a-z0-9.]*\\)"\\{0,1\\}:.*/\\1/p' images/series.yaml 2>/dev/null)`;
/** What an operand may be, by its name in the command's usage. */
const SOURCES: Readonly<Record<string, string>> = { image: IMAGES, images: IMAGES, site: SITES, shell: 'bash zsh fish' };

/**
 * The script for bash. It walks the words before the cursor: options and their values are left out, `help` too, and what is left is
 * the path of a command and its operands.
 */
export function bashCompletion(verbs: readonly Verb[]): string {
  const paths = verbs.map(({ path }) => pattern(path)).join(' | ');
  const groups = verbs.filter(({ commands }) => commands.length > 0);
  const top = verbs.filter(({ path }) => path.length === 1).map(({ path }) => path[0]);
  return `_ccp() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path= operands=0 help= value= words= index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [ -n "$value" ]; then value=; continue; fi
    case $word in
      ${[...new Set(verbs.flatMap(({ valued }) => valued))].join(' | ')}) value=1 ;;
      -*) ;;
      help) help=1 ;;
      *) case "$path $word" in
        ${paths}) path="$path $word" ;;
        *) operands=$((operands + 1)) ;;
      esac ;;
    esac
  done
  if [ "$before" = --series ]; then words=${SERIES}
  elif [ -n "$value" ]; then :
  elif [ "\${current#-}" != "$current" ]; then case $path in
${verbs.map(({ path, flags }) => `    ${pattern(path)}) words='${flags.join(' ')}' ;;`).join('\n')}
  esac
  else case "$path $operands" in
    ' 0') words='${[...top, 'help'].join(' ')}' ;;
${groups.map(({ path, commands }) => `    ${pattern([...path, '0'])}) words='${commands.join(' ')}' ;;`).join('\n')}
    *) [ -n "$help" ] || case "$path $operands" in
${verbs.flatMap(operandLines).join('\n')}
    esac ;;
  esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _ccp ccp ./ccp`;
}

function pattern(path: readonly string[]): string {
  return `' ${path.join(' ')}'`;
}

function operandLines({ path, operands }: Verb): readonly string[] {
  return operands.flatMap(({ name, variadic }, index) => {
    const words = path.join(' ') === 'cache' ? 'show prune' : SOURCES[name];
    if (words === undefined) return [];
    return [`      ${variadic ? `${pattern([...path, ''])}*` : pattern([...path, String(index)])}) words=${words.startsWith('$') ? words : `'${words}'`} ;;`];
  });
}
