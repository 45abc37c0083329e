import { wordFunctions, type CompletedCommand } from './words.ts';

/**
 * The script for bash, which has `=` as a word of its own; quotes and backslashes of the words
 * before the cursor are taken out.
 */
export function bashCompletion(verbs: readonly CompletedCommand[]): string {
  return `${wordFunctions(verbs)}
_ccp() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [ "$current" != = ] || { before+=(=); current=; }
  COMPREPLY=($(compgen -W "$(_ccp_words "$current" "\${before[@]//[\\\\\\"\\']/}")" -- "$current"))
}
complete -o default -F _ccp ccp ./ccp`;
}
