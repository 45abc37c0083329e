/**
 * Values of an operand, by its name in the usage of a command: a shell command that prints them.
 */
const SOURCES: Readonly<Record<string, string>> = {
  image: '_ccp_images "$root"',
  images: '_ccp_images "$root"',
  site: '_ccp_sites "$root"',
  shell: "printf '%s\\n' bash zsh fish",
};

/**
 * Functions for every shell with `local`. `_ccp_words CURRENT WORD...` prints the words possible at
 * the cursor, one per line: CURRENT is the unfinished word, WORD are the words between `ccp` and
 * CURRENT, without quotes. It drops options, their values and `help`; the rest is the path of a
 * command and its operands. Workspaces are found like in `findRoot` and `readLayers`. No variable
 * has a name that zsh reserves (`path`, `words`, `status`).
 */
export function wordFunctions(verbs: readonly CompletedCommand[]): string {
  const commands = verbs.filter(({ path }) => path.length > 0);
  const groups = verbs.filter((verb) => verb.commands.length > 0);
  return `_ccp_workspaces() {
  local folder="$1" base left=8
  if [ -z "$folder" ]; then
    folder=$PWD
    until [ -e "$folder/images/series.yaml" ] || [ -e "$folder/overlay.yaml" ]; do
      [ -n "$folder" ] || return 0
      folder=\${folder%/*}
    done
  fi
  while [ "$left" -gt 0 ]; do
    printf '%s\\n' "$folder"
    base=$(sed -n "s/^base: *[\\"']\\{0,1\\}\\([^\\"'#]*[^\\"'# ]\\).*/\\1/p" "$folder/overlay.yaml" 2>/dev/null)
    case $base in '') return 0 ;; /*) folder=$base ;; *) folder=$folder/$base ;; esac
    left=$((left - 1))
  done
}
_ccp_folders() {
  (CDPATH= cd -- "$1" >/dev/null 2>&1 && for each in [a-z]*/; do [ ! -d "$each" ] || printf '%s\\n' "\${each%/}"; done)
}
_ccp_images() {
  local folder
  _ccp_workspaces "$1" | while read -r folder; do _ccp_folders "$folder/images"; done | sort -u
}
_ccp_sites() {
  local folder
  _ccp_workspaces "$1" | { read -r folder && _ccp_folders "$folder/deploy-specs"; }
}
_ccp_series() {
  local folder
  _ccp_workspaces "$1" | while read -r folder; do
    cat "$folder/images/series.yaml" "$folder/overlay.yaml" 2>/dev/null | sed -n '/^series:/,/^[^ #]/s/^  "\\{0,1\\}\\([a-z0-9.]*\\)"\\{0,1\\}:.*/\\1/p'
  done | sort -u
}
_ccp_words() {
  local current="$1" verb= operands=0 help= valued= root= word
  shift
  for word do
    if [ -n "$valued" ]; then
      [ "$word" != = ] || continue
      case $valued in -C | --directory) root=$word ;; esac
      valued=
      continue
    fi
    case $word in
      ${[...new Set(verbs.flatMap(({ valued }) => valued))].join(' | ')}) valued=$word ;;
      --directory=*) root=\${word#*=} ;;
      -C?*) root=\${word#-C} ;;
      -*) ;;
      help) help=1 ;;
      *) case "$verb $word" in
        ${commands.map(({ path }) => pattern(path)).join(' | ')}) verb="$verb $word" ;;
        *) operands=$((operands + 1)) ;;
      esac ;;
    esac
  done
  case $root in '~'/*) root=$HOME/\${root#??} ;; esac
  case $current in --*=*) valued=\${current%%=*} ;; esac
  case $valued in
    --series)
      _ccp_series "$root"
      echo all
      ;;
    ?*) case "$verb $valued" in
${verbs.flatMap(choiceLines).join('\n')}
    esac ;;
    *) case $current in
      -*) case $verb in
${verbs.map(({ path, flags }) => `        ${pattern(path)}) ${printed(flags)} ;;`).join('\n')}
      esac ;;
      *) case "$verb $operands" in
${groups.map(({ path, commands: names }) => `        ${pattern([...path, '0'])}) ${printed(path.length === 0 ? [...names, 'help'] : names)} ;;`).join('\n')}
        *) [ -n "$help" ] || case "$verb $operands" in
${verbs.flatMap(operandLines).join('\n')}
        esac ;;
      esac ;;
    esac ;;
  esac
}`;
}

function pattern(path: readonly string[]): string {
  return path.length === 0 ? "''" : `' ${path.join(' ')}'`;
}

function printed(words: readonly string[]): string {
  return `printf '%s\\n' ${words.join(' ')}`;
}

function operandLines({ path, operands }: CompletedCommand): readonly string[] {
  return operands.flatMap(({ name, variadic }, index) => {
    const source = path.join(' ') === 'cache' ? printed(['show', 'prune']) : SOURCES[name];
    if (source === undefined) return [];
    return [
      `          ${variadic ? `${pattern([...path, ''])}*` : pattern([...path, String(index)])}) ${source} ;;`,
    ];
  });
}

function choiceLines({ path, choices }: CompletedCommand): readonly string[] {
  return choices.map(({ options, values }) => {
    const patterns = options.map((option) => pattern([...path, option])).join(' | ');
    return `      ${patterns}) ${printed(values)} ;;`;
  });
}

/** A command or a group of commands, for a shell. */
export interface CompletedCommand {
  /** The words that call it, after `ccp`; none for `ccp` itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** Long names. */
  readonly flags: readonly string[];
  /** Short and long names of options that take a value. */
  readonly valued: readonly string[];
  /** Options with declared choices, by their short and long names. */
  readonly choices: readonly {
    readonly options: readonly string[];
    readonly values: readonly string[];
  }[];
  readonly operands: readonly { readonly name: string; readonly variadic: boolean }[];
  /** Names of the commands of a group. */
  readonly commands: readonly string[];
}
