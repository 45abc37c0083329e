import { wordFunctions, type CompletedCommand } from './words.ts';

/**
 * The script for zsh: read by `source` once `compinit` has run, or as the file `_ccp` of a folder
 * in fpath, where its text is the body of the completion function, so it calls the function
 * that it has just defined. The shared functions run as in sh, in a process of their own.
 */
export function zshCompletion(verbs: readonly CompletedCommand[]): string {
  return `#compdef ccp
${wordFunctions(verbs)}
_ccp() {
  local current=\${(Q)PREFIX}
  local -a before=("\${(@Q)words[2,CURRENT-1]}") offered
  offered=(\${(f)"$(emulate sh; _ccp_words "$current" "\${before[@]}")"})
  compset -P '--*='
  (( $#offered )) && compadd -a offered || _files
}
if [[ $funcstack[1] == _ccp ]]; then _ccp "$@"; else compdef _ccp ccp; fi`;
}
