import { createRequire } from 'node:module';
import { isRecord } from '#core';
import type { ApplicationContent } from './read-application.ts';
import type { Findings } from './findings.ts';

const require = createRequire(import.meta.url);
const MAX_YAML = 1 << 22;

/** A mapping of YAML. */
export type Mapping = Readonly<Record<string, unknown>>;

/** The first document of YAML in a file; throws if it is not YAML. */
export function parseFirst(data: Uint8Array): unknown {
  if (data.length > MAX_YAML) throw new RangeError(`it has more than ${MAX_YAML} bytes`);
  const { parseAllDocuments } = require('yaml') as typeof import('yaml');
  const [first] = parseAllDocuments(Buffer.from(data).toString('utf8'), { version: '1.1' });
  const [error] = first?.errors ?? [];
  if (error !== undefined) throw error;
  return first?.toJS({ maxAliasCount: 100 }) as unknown;
}

/**
 * The mapping in a file of the tarball. Adds a finding and returns undefined for a file that is
 * missing or has another value.
 */
export function mappingIn(
  { files }: Pick<ApplicationContent, 'files'>,
  path: string,
  { rule, found }: { readonly rule: string; readonly found: Findings },
): Mapping | undefined {
  const data = files.get(path);
  if (data === undefined) {
    found.error(rule, path, 'the file is missing', 'add it: StarlingX reads it');
    return undefined;
  }
  try {
    const value = parseFirst(data);
    if (isRecord(value)) return value;
    found.error(rule, path, 'it is not a mapping of YAML', 'write keys and values');
  } catch (thrown) {
    const [message] = (thrown as Error).message.split('\n');
    found.error(rule, path, `it is not YAML: ${message}`, 'fix the syntax');
  }
  return undefined;
}

/** The value at a path of keys; undefined if there is none. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}
