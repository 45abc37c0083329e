import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { codeOf } from '#core';
import { parseDeb822, parseOneLine, type AptSource } from './apt-sources.ts';
import type { DebianMirrors } from './mirrors.ts';

/** Names of Debian's suites; a source of another vendor, or of a system derived from Debian, has none of them. */
const SUITE =
  /^(?:buster|bullseye|bookworm|trixie|forky|duke|sid|(?:old){0,2}stable|testing|unstable)(?:-(?:updates|security|backports|proposed-updates)|\/updates)?$/;
const SECURITY = /-security$|\/updates$/;

/**
 * Roots of the Debian archives that the host's apt uses, in its order; empty lists where it uses none over HTTP. Which suites
 * it takes from them does not matter: an archive holds all. `root` is the host's file system.
 */
export function discoverDebianMirrors(root = '/'): DebianMirrors {
  const found = { debian: new Set<string>(), 'debian-security': new Set<string>() };
  for (const { uri, suites } of aptSources(join(root, 'etc/apt'))) {
    if (!/^https?:\/\//.test(uri)) continue;
    for (const suite of suites.map((name) => name.replace(/\/$/, ''))) {
      if (SUITE.test(suite)) found[SECURITY.test(suite) ? 'debian-security' : 'debian'].add(uri);
    }
  }
  return { debian: [...found.debian], 'debian-security': [...found['debian-security']] };
}

/** How apt reads files, by their extension; it reads no others. */
const PARSERS: Readonly<Record<string, (text: string) => AptSource[]>> = { '.sources': parseDeb822, '.list': parseOneLine };

function aptSources(folder: string): AptSource[] {
  const parts = join(folder, 'sources.list.d');
  const names = attempt(() => readdirSync(parts).sort()) ?? [];
  return [join(folder, 'sources.list'), ...names.map((name) => join(parts, name))].flatMap((path) => {
    const parse = PARSERS[extname(path)];
    const text = parse === undefined ? undefined : attempt(() => readFileSync(path, 'utf8'));
    return parse === undefined || text === undefined ? [] : parse(text);
  });
}

/** The result; nothing where the file is not there or not for this user. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(cause) ?? '')) return undefined;
    throw cause;
  }
}
