/** Characters of an instruction that are shown. */
const SHOWN = 60;
const NUMBER = /^\[[^\]]*\] /;
/** What every RUN of the shared macros begins with; it tells no step from another. */
const HEAD = /^(?:--mount=\S+ |set -\w+; |export [^;]*; |\\ )+/;

/** A step's name for progress and logs, `[3/5] RUN make`: its number and the command, without options, on one line, cut to fit. */
export function shortStep(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').trim();
  const number = NUMBER.exec(line)?.[0] ?? '';
  const [, keyword = '', rest = ''] = /^(RUN )?(.*)$/.exec(line.slice(number.length))!;
  const text = `${keyword}${keyword === '' ? rest : rest.replace(HEAD, '')}`;
  return `${number}${text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text}`;
}
