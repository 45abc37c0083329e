import { posix } from 'node:path';
import { wordsOf, type Instruction } from './dockerfile-instructions.ts';

/** The only input that becomes a layer: the first layer of a bootstrapped image. */
const SEED = '.inputs/seed.tar';
/** Characters that an engine can expand or remove in a source path. */
const EXPANDED = /["'$\\]/;
/** Paths that ADD always reads from the context. */
const LOCAL = /^(?:files|tree|\.inputs)(?:\/[A-Za-z0-9._*?+~-]+)*\/?$/;

type Report = (message: string, hint: string) => void;

/**
 * Refuses COPY and ADD sources that are or could be locked inputs or the Dockerfile, which would
 * stay in a layer.
 */
export function checkContextSources({ keyword, rest }: Instruction, report: Report): void {
  const words = wordsOf(rest);
  if (words === undefined) {
    report(
      `${keyword} ${rest} starts like a JSON list but is not valid`,
      `write a JSON list of strings: ${keyword} ["files/a b", "/a b"]; start a pattern with the folder: files/[a-z]*`,
    );
    return;
  }
  const sources = words.slice(0, -1);
  for (const source of sources) {
    if (keyword === 'ADD' && source === SEED) checkSeed(words.at(-1) ?? '', report);
    else checkSource(keyword, source, report);
  }
}

function checkSeed(target: string, report: Report): void {
  if (target !== '/')
    report(
      `ADD ${SEED} is only allowed with the target /`,
      `it contains the files of a whole image: ADD ${SEED} /`,
    );
}

function checkSource(keyword: string, source: string, report: Report): void {
  if (keyword === 'ADD' && (!LOCAL.test(source) || source.endsWith('.git'))) {
    report(`ADD ${source} could be remote`, `use a file of the build context: files/… or ${SEED}`);
    return;
  }
  if (EXPANDED.test(source)) {
    report(
      `${keyword} ${source} could expand to other files`,
      `write the path without variables, quotes and backslashes; put a path with spaces in a list: ${keyword} ["files/a b", "/a b"]`,
    );
    return;
  }
  const [first = ''] = posix.normalize(source.replace(/^\/+/, '')).split('/');
  if (first === 'Dockerfile')
    report(`${keyword} ${source} would leave the Dockerfile in a layer`, 'use a path below files/');
  if (first === '.inputs' || /^\.{0,2}$|[*?[]/.test(first))
    report(
      `${keyword} ${source} would leave locked inputs in a layer`,
      'use a path below files/; mount inputs instead: RUN --mount=type=bind,source=.inputs/…,target=/run/…',
    );
}
