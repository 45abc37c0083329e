import { appendFileSync } from 'node:fs';
import { fileFault, isRecord, type Digest, type ImageName, type Series } from '#core';
import { readIfThere, writeAtomically } from './files.ts';
import type { StatePaths } from './paths.ts';

/** First line of the file. */
const HEADER = 'ccp-tests 2\n';
/**
 * Number of lines without a use, such as replaced entries, above which `compact` writes the file
 * again.
 */
const UNUSED_LINES = 1_000;

/** Which tests stored images have passed. */
export interface PassedTests {
  /**
   * Whether the image with this digest `passed` the tests of this key, only `others`, or `nothing`.
   */
  known(image: ImageName, digest: Digest, key: string): 'passed' | 'others' | 'nothing';
  add(image: ImageName, digest: Digest, key: string): void;
  /** Removes the entry of an image that failed a later test run. */
  remove(image: ImageName, digest: Digest): void;
  /** Forgets images that are not `stored` any more, if the file has many unused lines. */
  compact(stored: Iterable<{ readonly image: ImageName; readonly digest: Digest }>): void;
}

/**
 * The passed tests of one series. An unreadable file is treated as empty: the tests only run again.
 * Changes are appended as lines, `IMAGE@DIGEST KEY`, or `IMAGE@DIGEST` to remove the entry; the
 * last line of an image is valid. One process at a time may change the file.
 */
export function openPassedTests(paths: StatePaths, series: Series): PassedTests {
  const path = paths.tests(series);
  const file = readPassed(path);
  const { passed } = file;
  let { canAppend, lines } = file;
  const rewrite = (): void => {
    const text = [...passed].map(([name, key]) => `${name} ${key}\n`).join('');
    writeAtomically(path, `${HEADER}${text}`, { flush: false });
    canAppend = true;
    lines = passed.size;
  };
  const change = (line: string): void => {
    if (!canAppend) return rewrite();
    try {
      appendFileSync(path, `${line}\n`);
    } catch (thrown) {
      throw fileFault(thrown, 'write', path);
    }
    lines += 1;
  };
  return {
    known: (image, digest, key) => {
      const last = passed.get(nameOf(image, digest));
      return last === key ? 'passed' : last === undefined ? 'nothing' : 'others';
    },
    add: (image, digest, key) => {
      passed.set(nameOf(image, digest), key);
      change(`${nameOf(image, digest)} ${key}`);
    },
    remove: (image, digest) => {
      if (passed.delete(nameOf(image, digest))) change(nameOf(image, digest));
    },
    compact: (stored) => {
      const used = new Set([...stored].map(({ image, digest }) => nameOf(image, digest)));
      const unused = [...passed.keys()].filter((name) => !used.has(name));
      if (lines - passed.size + unused.length <= UNUSED_LINES) return;
      for (const name of unused) passed.delete(name);
      rewrite();
    },
  };
}

function nameOf(image: ImageName, digest: Digest): string {
  return `${image}@${digest}`;
}

interface PassedFile {
  /** Keys of tests by `IMAGE@DIGEST`. */
  readonly passed: Map<string, string>;
  readonly lines: number;
  /** False if the file must be written again before lines can be appended. */
  readonly canAppend: boolean;
}

function readPassed(path: string): PassedFile {
  try {
    const text = readIfThere(path) ?? '';
    return text.startsWith(HEADER) ? readLines(text.slice(HEADER.length)) : readFormat1(text);
  } catch {
    return { passed: new Map(), lines: 0, canAppend: false };
  }
}

function readLines(text: string): PassedFile {
  const passed = new Map<string, string>();
  // A killed run can leave an incomplete last line.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = complete.split('\n').slice(0, -1);
  for (const line of lines) {
    const space = line.indexOf(' ');
    if (space < 0) passed.delete(line);
    else passed.set(line.slice(0, space), line.slice(space + 1));
  }
  return { passed, lines: lines.length, canAppend: complete.length === text.length };
}

/** Format 1 was one JSON object. */
function readFormat1(text: string): PassedFile {
  const value: unknown = JSON.parse(text);
  const passed = isRecord(value) && value['format'] === 1 ? value['passed'] : undefined;
  const entries = Object.entries(isRecord(passed) ? passed : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { passed: new Map(entries), lines: 0, canAppend: false };
}
