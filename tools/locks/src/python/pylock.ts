import { createRequire } from 'node:module';
import { CcpError, messageOf, parseSha256, type Sha256 } from '#core';
import { normaliseProject } from '#formats';

/** A wheel in a pylock file. */
export interface PylockWheel {
  readonly file: string;
  readonly url: string;
  readonly sha256: Sha256;
  readonly size?: number;
}

/** A package in a pylock file; `wheels` excludes wheels at local paths. */
export interface PylockPackage {
  readonly name: string;
  readonly version: string;
  readonly wheels: readonly PylockWheel[];
}

interface Document {
  readonly packages?: readonly {
    readonly name?: unknown;
    readonly version?: unknown;
    readonly wheels?: readonly {
      readonly url?: unknown;
      readonly size?: unknown;
      readonly hashes?: { readonly sha256?: unknown };
    }[];
  }[];
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VERSION = /^[0-9][0-9A-Za-z.!+-]*$/;
const FILE = /^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$/;

/**
 * Parses a lock in the format of PEP 751, which uv writes from an index's data. Raises
 * `python-lock-invalid`.
 */
export function parsePylock(text: string): PylockPackage[] {
  const fail = (reason: string, cause?: unknown): never => {
    throw new CcpError({
      code: 'python-lock-invalid',
      message: `the result of uv cannot be read: ${reason}`,
      cause,
    });
  };
  const { parse } = createRequire(import.meta.url)('smol-toml') as typeof import('smol-toml');
  let document: Document;
  try {
    document = parse(text) as Document;
  } catch (thrown) {
    return fail(messageOf(thrown), thrown);
  }
  return (document.packages ?? []).map(({ name, version, wheels }) => {
    if (typeof name !== 'string' || !NAME.test(normaliseProject(name)))
      return fail(`invalid package name ${JSON.stringify(name)}`);
    if (typeof version !== 'string' || !VERSION.test(version))
      return fail(`invalid version ${JSON.stringify(version)} of ${name}`);
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
  const known =
    typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? { size: bytes } : {};
  return [{ file, url, sha256: parseSha256(hash), ...known }];
}

/** Renders a lock with preferred versions as a start for uv. */
export function preferences(
  packages: readonly { readonly name: string; readonly version: string }[],
): string {
  const tables = packages.map(
    ({ name, version }) =>
      `[[packages]]\nname = ${JSON.stringify(name)}\nversion = ${JSON.stringify(version)}\n`,
  );
  return ['lock-version = "1.0"\ncreated-by = "ccp"\n', ...tables].join('\n');
}
