import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CcpError, parseSha256, type Sha256 } from '#core';
import type { DebianPackage } from '../types.ts';

/** A binary package in a Packages list. */
export interface PackageEntry {
  readonly package: DebianPackage;
  /** The package's stanza in the list, without the trailing empty line. */
  readonly stanza: string;
}

/** The signed lists of one suite, by SHA-256 of the .deb. */
export interface PackageLists {
  find(sha256: Sha256): PackageEntry | undefined;
  /** Every entry that was built from one of these source packages. */
  ofSources(names: Pick<ReadonlySet<string>, 'has'>): readonly PackageEntry[];
}

const FILE_LINE = /^Filename: (\S+)$/gm;
const HASH_LINE = /^SHA256: ([0-9a-f]{64})$/gm;
const POOL = /^pool(?:\/(?!\.)[A-Za-z0-9][A-Za-z0-9.+~_%:-]*)+\.deb$/;

function field(stanza: string, name: string): string {
  const match = new RegExp(`^${name}: (.+)$`, 'm').exec(stanza);
  if (match === null)
    throw new CcpError({
      code: 'debian-list-invalid',
      message: `a stanza of a Debian package list has no ${name}`,
    });
  return match[1]!;
}

/**
 * Parses one stanza. Raises `debian-list-invalid` if a field is missing or the file is outside the
 * pool.
 */
export function parseStanza(stanza: string, archive: DebianPackage['archive']): PackageEntry {
  const pool = field(stanza, 'Filename');
  if (!POOL.test(pool))
    throw new CcpError({
      code: 'debian-list-invalid',
      message: `a Debian package list has an invalid file name: ${JSON.stringify(pool)}`,
    });
  const size = field(stanza, 'Size');
  if (!/^[1-9]\d{0,14}$/.test(size))
    throw new CcpError({
      code: 'debian-list-invalid',
      message: `a Debian package list has an invalid size for ${pool}: ${JSON.stringify(size)}`,
    });
  return {
    package: {
      name: field(stanza, 'Package'),
      version: field(stanza, 'Version'),
      architecture: field(stanza, 'Architecture'),
      sha256: parseSha256(field(stanza, 'SHA256')),
      size: Number(size),
      archive,
      pool,
    },
    stanza,
  };
}

/** The source package of a file: the pool has a folder for each source package. */
export function sourceName(pool: string): string {
  return basename(dirname(pool));
}

interface Place {
  readonly list: { readonly text: string; readonly archive: DebianPackage['archive'] };
  readonly at: number;
}

/**
 * Indexes apt's downloaded lists. If both archives have a file, `debian` is used, since it keeps
 * files for the suite's whole lifetime.
 */
export function openPackageLists(folder: string): PackageLists {
  const places = new Map<string, Place>();
  const opened: Place['list'][] = [];
  const names = readdirSync(folder).filter((file) => file.endsWith('_Packages'));
  for (const name of names.sort()) {
    const archive = /_dists_[a-z]+-security_/.test(name) ? 'debian-security' : 'debian';
    const list = { text: readFileSync(join(folder, name), 'utf8'), archive } as const;
    opened.push(list);
    for (const match of list.text.matchAll(HASH_LINE)) {
      const known = places.get(match[1]!);
      if (known === undefined || known.list.archive === 'debian-security')
        places.set(match[1]!, { list, at: match.index });
    }
  }
  return {
    find: (sha256) => {
      const place = places.get(sha256);
      return place === undefined ? undefined : entryAt(place);
    },
    ofSources: (names) =>
      opened.flatMap((list) =>
        [...list.text.matchAll(FILE_LINE)]
          .filter(([, pool]) => names.has(sourceName(pool!)))
          .map(({ index }) => entryAt({ list, at: index })),
      ),
  };
}

/** The entry of the stanza around a place. */
function entryAt({ list: { text, archive }, at }: Place): PackageEntry {
  const start = text.lastIndexOf('\n\n', at);
  const end = text.indexOf('\n\n', at);
  return parseStanza(
    text.slice(start < 0 ? 0 : start + 2, end < 0 ? text.length : end).trimEnd(),
    archive,
  );
}
