import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CcpError,
  decodeText,
  fileChanged,
  describeNonFile,
  reading,
  sha256,
  type Json,
  type Sha256,
} from '#core';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { checkDefinitionStat } from './definition-size.ts';

/** A definition file. */
export interface DefinitionFile {
  readonly path: string;
  /** Name for messages: relative to the repository, `/`-separated. */
  readonly file: string;
  /** Hint if the file is missing; absent if the file was just listed. */
  readonly need?: string;
}

/** The text of a definition file and its name for messages. */
export interface DefinitionText {
  readonly text: string;
  readonly file: string;
}

export type DefinitionFiles = readonly [DefinitionFile, ...DefinitionFile[]];
export type DefinitionTexts = readonly [DefinitionText, ...DefinitionText[]];

/**
 * The result of `parse` for a set of definition files, stored by their hashes, names and the code
 * that reads them; an unchanged file costs two stat calls. Raises the errors of `parse`,
 * `decodeText` and `readUnchanged`, `definition-missing`, and `definition-invalid` for a file that
 * is not regular or too large.
 */
export function readDefinition<T extends object>(
  files: DefinitionFiles,
  memo: Memo,
  parse: (texts: DefinitionTexts) => T,
): T {
  const hashes = files.map((file) => hashOf(file, memo));
  const key = `definition ${readerIdentity(memo)} ${files.map(({ file }, index) => `${file} ${hashes[index]}`).join(' ')}`;
  return memo.recall(key, () => {
    const texts = files.map((from, index): DefinitionText => ({
      text: decodeText(readUnchanged(from.path, hashes[index]!, from.file), from.file),
      file: from.file,
    }));
    return parse(texts as readonly DefinitionText[] as DefinitionTexts) as unknown as Json;
  }) as unknown as T;
}

function hashOf({ path, file, need }: DefinitionFile, memo: Memo): Sha256 {
  const stat = reading(file, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) throw missing(file, need);
  const instead = describeNonFile(stat);
  if (instead !== undefined)
    throw new CcpError({
      code: 'definition-invalid',
      message: `${file} ${instead}`,
      hint: 'replace it with a regular file',
      at: { file },
    });
  checkDefinitionStat(stat, file);
  return reading(file, () => memo.fileSha256(path, stat));
}

function missing(file: string, need: string | undefined): CcpError {
  if (need === undefined) return fileChanged(file, 'vanished');
  return new CcpError({
    code: 'definition-missing',
    message: `${file} is missing`,
    hint: need,
    at: { file },
  });
}

const identities = new WeakMap<Memo, string>();

/**
 * Hash of the schemas and code of this package; a change invalidates stored definitions and app
 * specs.
 */
export function readerIdentity(memo: Memo): string {
  let identity = identities.get(memo);
  if (identity === undefined) {
    const files = [
      import.meta.dirname,
      join(import.meta.dirname, 'deploy'),
      join(import.meta.dirname, '../schemas'),
    ].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /(?<!\.test)\.(?:ts|json)$/.test(name))
        .sort()
        .map((name) => memo.fileSha256(join(folder, name))),
    );
    identities.set(memo, (identity = sha256(files.join()).slice(0, 32)));
  }
  return identity;
}
