import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#core';
import type { ImagePackage } from '#cves';
import { pythonName, type ImageSet, type ImageSetEntry } from '#release';

/** A line of a lock that names a package with its version. */
const ITEM = /^ +- \{ (?:path: [^,]+, )?name: "?([^",]+)"?, version: "([^"]+)"/;
const SECTION = /^([a-z]+):/;
const SOURCE = /^  ([A-Za-z0-9._-]+):$/;
const VERSION = /^    version: "([^"]+)"/;
const GO_TOOLCHAIN = /^v0\.0\.1-go([^.]+\.[^.]+(?:\.\d+)?)\./;

/** `KIND NAME VERSION` -> line, counted from 1. */
type Lines = ReadonlyMap<string, number>;

/** Finds the lines of locks that name packages. */
export interface LockLines {
  /** `FILE:LINE` of a package of an image: in its lock, or in the lock of an image below it. */
  find(image: ImageSetEntry, item: ImagePackage): string | undefined;
}

/**
 * The lines in the locks of the workspace at `root`; a lock that has another version of a package
 * has no line for it.
 */
export function lockLines(root: string, { series, images }: ImageSet): LockLines {
  const byName = new Map(images.map((entry) => [entry.name as string, entry]));
  const known = new Map<string, Lines>();
  const linesOf = (file: string): Lines => {
    const lines = known.get(file) ?? readLines(join(root, file));
    known.set(file, lines);
    return lines;
  };
  const search = (name: string, key: string, seen: Set<string>): string | undefined => {
    if (seen.has(name)) return undefined;
    seen.add(name);
    const file = `images/${name}/lock/${series}.yaml`;
    const line = linesOf(file).get(key);
    if (line !== undefined) return `${file}:${line}`;
    for (const parent of Object.values(byName.get(name)?.parents ?? {})) {
      const found = search(parent, key, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    find: ({ name }, { kind, name: item, version }) =>
      search(name, lineKey(kind, item, version), new Set()),
  };
}

function lineKey(kind: string, name: string, version: string): string {
  return `${kind} ${kind === 'python' ? pythonName(name) : name} ${version}`;
}

function readLines(path: string): Lines {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return new Map();
  }
  const lines = new Map<string, number>();
  let section = '';
  let source = '';
  const add = (kind: string, name: string, version: string, index: number): void => {
    const key = lineKey(kind, name, version);
    // The line of a Go module's zip follows that of its go.mod file; the first one is enough.
    if (!lines.has(key)) lines.set(key, index + 1);
  };
  for (const [index, line] of text.split('\n').entries()) {
    section = SECTION.exec(line)?.[1] ?? section;
    if (section === 'sources') {
      source = SOURCE.exec(line)?.[1] ?? source;
      const version = VERSION.exec(line)?.[1];
      if (version !== undefined) add('python', source, version, index);
      continue;
    }
    const [, name, version] = ITEM.exec(line) ?? [];
    if (name === undefined || version === undefined) continue;
    add(section, name, version, index);
    const toolchain = name === 'golang.org/toolchain' ? GO_TOOLCHAIN.exec(version)?.[1] : undefined;
    if (toolchain !== undefined) add('go', 'stdlib', toolchain, index);
  }
  return lines;
}
