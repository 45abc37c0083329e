import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, fileFault, insteadOfFile, sha256, type Json, type Sha256 } from '#core';
import type { Memo } from '#ports';

/** A definition file. */
export interface DefinitionFile {
  readonly path: string;
  /** How messages name it: relative to the repository, `/`-separated. */
  readonly file: string;
  /** Why it must be there, for whoever left it out. */
  readonly need: string;
}

/** The text of a definition file and its name for messages. */
export interface DefinitionText {
  readonly text: string;
  readonly file: string;
}

export type DefinitionFiles = readonly [DefinitionFile, ...DefinitionFile[]];
export type DefinitionTexts = readonly [DefinitionText, ...DefinitionText[]];

/**
 * What `parse` makes of definition files that belong together, remembered by their hashes, their names and the code that reads
 * them, so that an unchanged file costs two stat calls. Raises what `parse` raises, and `definition-missing`,
 * `definition-invalid` (not a regular file, not UTF-8), `file-changed`, and what `fileFault` says.
 */
export function readDefinition<T extends object>(files: DefinitionFiles, memo: Memo, parse: (texts: DefinitionTexts) => T): T {
  const hashes = files.map((file) => hashOf(file, memo));
  const key = `definition ${readerIdentity(memo)} ${files.map(({ file }, index) => `${file} ${hashes[index]}`).join(' ')}`;
  return memo.recall(key, () => {
    const texts = files.map((from, index): DefinitionText => ({ text: readText(from, hashes[index]!), file: from.file }));
    return parse(texts as readonly DefinitionText[] as DefinitionTexts) as unknown as Json;
  }) as unknown as T;
}

function hashOf(from: DefinitionFile, memo: Memo): Sha256 {
  const { path, file, need } = from;
  const stat = attempt(from, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) throw new CcpError({ code: 'definition-missing', message: `${file} is missing`, hint: need, at: { file } });
  const instead = insteadOfFile(stat);
  if (instead !== undefined) throw new CcpError({ code: 'definition-invalid', message: `${file} ${instead}`, hint: 'put the file itself there', at: { file } });
  return attempt(from, () => memo.fileSha256(path));
}

function readText(from: DefinitionFile, expected: Sha256): string {
  const { path, file } = from;
  const bytes = attempt(from, () => readFileSync(path));
  if (sha256(bytes) !== expected) throw changed(file, 'changed');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CcpError({ code: 'definition-invalid', message: `${file} is not UTF-8 text`, at: { file }, cause });
  }
}

function attempt<T>({ file }: DefinitionFile, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    if (codeOf(thrown) === 'ENOENT') throw changed(file, 'vanished');
    throw fileFault(thrown, 'read', file);
  }
}

function changed(file: string, verb: string): CcpError {
  return new CcpError({
    code: 'file-changed',
    message: `${file} ${verb} while it was read`,
    hint: 'wait until nothing writes to it, then run the command again',
    at: { file },
  });
}

const identities = new WeakMap<Memo, string>();

/** Names the schemas and the code of this folder, whose change makes remembered definitions and app specs worthless. */
export function readerIdentity(memo: Memo): string {
  let identity = identities.get(memo);
  if (identity === undefined) {
    const files = [import.meta.dirname, join(import.meta.dirname, 'deploy'), join(import.meta.dirname, '../schemas')].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /(?<!\.test)\.(?:ts|json)$/.test(name))
        .sort()
        .map((name) => memo.fileSha256(join(folder, name))),
    );
    identities.set(memo, (identity = sha256(files.join()).slice(0, 32)));
  }
  return identity;
}
