import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { codeOf } from '#core';
import { readBounded } from '#host';
import { parseDeb822, parseOneLine, type AptSource } from './apt-sources.ts';
import type { DebianMirrors } from './mirrors.ts';
import { requireUrl } from './require-url.ts';

const MAX_BYTES = 16 << 20;

/** Names of Debian's suites; sources of other vendors and of Debian derivatives use other names. */
const SUITE =
  /^(?:buster|bullseye|bookworm|trixie|forky|duke|sid|(?:old){0,2}stable|testing|unstable)(?:-(?:updates|security|backports|proposed-updates)|\/updates)?$/;
const SECURITY = /-security$|\/updates$/;

/**
 * Finds the roots of the Debian archives that the host's apt uses, in its order; only HTTP and
 * HTTPS. The configured suites do not matter, since an archive contains all of them. `root` is the
 * host's file system.
 */
export function discoverDebianMirrors(root = '/'): DebianMirrors {
  const found = { debian: new Set<string>(), 'debian-security': new Set<string>() };
  for (const { uri, suites, file } of aptSources(join(root, 'etc/apt'))) {
    if (!/^https?:\/\//.test(uri)) continue;
    for (const suite of suites.map((name) => name.replace(/\/$/, ''))) {
      if (!SUITE.test(suite)) continue;
      found[SECURITY.test(suite) ? 'debian-security' : 'debian'].add(requireUrl(uri, file));
    }
  }
  return { debian: [...found.debian], 'debian-security': [...found['debian-security']] };
}

/** Parsers by file extension; apt ignores other files. */
const PARSERS: Readonly<Record<string, (text: string) => AptSource[]>> = {
  '.sources': parseDeb822,
  '.list': parseOneLine,
};

function aptSources(folder: string): (AptSource & { readonly file: string })[] {
  const parts = join(folder, 'sources.list.d');
  const names = ifReadable(() => readdirSync(parts).sort()) ?? [];
  return [join(folder, 'sources.list'), ...names.map((name) => join(parts, name))].flatMap(
    (path) => {
      const parse = PARSERS[extname(path)];
      const text =
        parse === undefined ? undefined : ifReadable(() => readBounded(path, MAX_BYTES).toString());
      if (parse === undefined || text === undefined) return [];
      return parse(text).map((source) => ({ ...source, file: path }));
    },
  );
}

/** Returns the result, or `undefined` if the file does not exist or this user cannot read it. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(cause) ?? '')) return undefined;
    throw cause;
  }
}
