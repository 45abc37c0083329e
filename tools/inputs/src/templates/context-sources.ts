import { posix } from 'node:path';
import { wordsOf, type Instruction } from './dockerfile-instructions.ts';

/** The one input that is no file to install from, but what the first layer is made of. */
export const SEED = '.inputs/seed.tar';
/** What an engine may expand or take away in a source before it looks for it. */
const EXPANDED = /["'$\\]/;
/** What ADD surely takes from the context. */
const LOCAL = /^(?:files|tree|\.inputs)(?:\/[A-Za-z0-9._*?+~-]+)*\/?$/;

type Report = (message: string, hint: string) => void;

/**
 * Refuses what a COPY or ADD from the context takes, where it is or may be more than what a folder of the image holds: locked
 * inputs and the Dockerfile would stay in a layer, and what only engines can read may be either.
 */
export function checkContextSources({ keyword, rest }: Instruction, report: Report): void {
  const words = wordsOf(rest);
  if (words === undefined) {
    report(
      `${keyword} ${rest} begins as a list and is none`,
      `write a JSON list of texts: ${keyword} ["files/a b", "/a b"]; else begin with the folder: files/[a-z]*`,
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
  if (target !== '/') report(`ADD ${SEED} goes to / alone`, `it is the files of a whole image: ADD ${SEED} /`);
}

function checkSource(keyword: string, source: string, report: Report): void {
  if (keyword === 'ADD' && (!LOCAL.test(source) || source.endsWith('.git'))) {
    report(`ADD ${source} could be remote`, `name a file of the context: files/… or ${SEED}`);
    return;
  }
  if (EXPANDED.test(source)) {
    report(
      `${keyword} ${source} may name more than it shows`,
      `name the file plainly, without variables, quotes and backslashes; one with blanks in a list: ${keyword} ["files/a b", "/a b"]`,
    );
    return;
  }
  const [first = ''] = posix.normalize(source.replace(/^\/+/, '')).split('/');
  if (first === 'Dockerfile') report(`${keyword} ${source} would leave the Dockerfile in a layer`, 'name what is below files/');
  if (first === '.inputs' || /^\.{0,2}$|[*?[]/.test(first))
    report(
      `${keyword} ${source} would leave locked inputs in a layer`,
      'name what is below files/; inputs are mounted: RUN --mount=type=bind,source=.inputs/…,target=/run/…',
    );
}
