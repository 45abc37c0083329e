import { createRequire } from 'node:module';
import { CcpError, messageOf, normaliseProject, parseSha256, type Sha256 } from '#core';

/** A wheel that a pylock file names. */
export interface PylockWheel {
  readonly file: string;
  readonly url: string;
  readonly sha256: Sha256;
  readonly size?: number;
}

/** A package of a pylock file; `wheels` lacks those at local paths. */
export interface PylockPackage {
  readonly name: string;
  readonly version: string;
  readonly wheels: readonly PylockWheel[];
}

interface Document {
  readonly packages?: readonly {
    readonly name?: unknown;
    readonly version?: unknown;
    readonly wheels?: readonly { readonly url?: unknown; readonly size?: unknown; readonly hashes?: { readonly sha256?: unknown } }[];
  }[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VERSION = /^[0-9][0-9A-Za-z.!+-]*$/;
const FILE = /^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$/;

/** Reads a lock in the format of PEP 751, as uv writes it from what an index said. Raises `python-lock-invalid`. */
export function parsePylock(text: string): PylockPackage[] {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new CcpError({ code: 'python-lock-invalid', message: `what uv resolved cannot be read: ${reason}`, cause });
  };
  const { parse } = createRequire(import.meta.url)('smol-toml') as typeof import('smol-toml');
  let document: Document;
  try {
    document = parse(text) as Document;
  } catch (thrown) {
    return refuse(messageOf(thrown), thrown);
  }
  return (document.packages ?? []).map(({ name, version, wheels }) => {
    if (typeof name !== 'string' || !NAME.test(normaliseProject(name))) return refuse(`a package is named ${JSON.stringify(name)}`);
    if (typeof version !== 'string' || !VERSION.test(version)) return refuse(`${name} has the version ${JSON.stringify(version)}`);
    return {
      name: normaliseProject(name),
      version,
      wheels: (wheels ?? []).flatMap(({ url, size, hashes }) => wheelOf(url, size, hashes?.sha256)),
    };
  });
}

function wheelOf(url: unknown, size: unknown, hash: unknown): PylockWheel[] {
  if (typeof url !== 'string' || !/^https?:/.test(url) || typeof hash !== 'string') return [];
  const file = new URL(url).pathname.split('/').at(-1)!.replaceAll(/%2b/gi, '+');
  if (!FILE.test(file)) return [];
  const bytes = typeof size === 'bigint' ? Number(size) : size;
  const known = typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? { size: bytes } : {};
  return [{ file, url, sha256: parseSha256(hash), ...known }];
}

/** A lock that prefers these versions, for uv to start from. */
export function preferences(packages: readonly { readonly name: string; readonly version: string }[]): string {
  const tables = packages.map(({ name, version }) => `[[packages]]\nname = ${JSON.stringify(name)}\nversion = ${JSON.stringify(version)}\n`);
  return ['lock-version = "1.0"\ncreated-by = "ccp"\n', ...tables].join('\n');
}
