/** Maximum length of an instruction. */
const SHOWN = 60;
const NUMBER = /^\[[^\]]*\] /;
/** The common prefix of the shared macros' RUN instructions, which does not identify a step. */
const HEAD = /^(?:--mount=\S+ |set -\w+; |export [^;]*; |\\ )+/;

/**
 * A step's short name for progress and logs, such as `[3/5] RUN make`: its number and command on
 * one line, without options, shortened if it is long.
 */
export function shortStep(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').trim();
  const number = NUMBER.exec(line)?.[0] ?? '';
  const [, keyword = '', rest = ''] = /^(RUN )?(.*)$/.exec(line.slice(number.length))!;
  const text = `${keyword}${keyword === '' ? rest : rest.replace(HEAD, '')}`;
  return `${number}${text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text}`;
}
