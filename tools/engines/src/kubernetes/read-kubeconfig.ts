import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { codeOf, isRecord, messageOf, omitUndefined } from '#core';
import { kubeconfigError } from './kubeconfig-error.ts';
import { readPlainFile } from './read-plain-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** An unchecked mapping of a kubeconfig. */
export type Mapping = Readonly<Record<string, unknown>>;

/** One entry of a named list; its relative paths start at `folder`. */
export interface Entry {
  readonly value: Mapping;
  readonly folder: string;
  readonly file: string;
}

/** Merged content of one or more kubeconfig files. The first entry of a name is used. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext?: string;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** The files of KUBECONFIG, else `~/.kube/config`. */
export function kubeconfigFiles(environment: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  const named = (environment['KUBECONFIG'] ?? '').split(':').filter((file) => file !== '');
  return named.length > 0 ? named : [join(homedir(), '.kube', 'config')];
}

/**
 * Reads and merges kubeconfig files. Skips missing files; `undefined` if all are. Throws
 * `cluster-config`.
 */
export async function readKubeconfig(files: readonly string[]): Promise<Kubeconfig | undefined> {
  const read = (await Promise.all(files.map(readOne))).filter((each) => each !== undefined);
  if (read.length === 0) return undefined;
  const currentContext = read
    .map(({ root }) => root['current-context'])
    .find((each) => typeof each === 'string' && each !== '') as string | undefined;
  const entries = (list: string, member: string) => {
    const all = read.flatMap(({ file, root }) => named(root[list], list, member, file));
    return new Map([...all].reverse());
  };
  return {
    files: read.map(({ file }) => file),
    ...omitUndefined({ currentContext }),
    contexts: entries('contexts', 'context'),
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
  };
}

async function readOne(
  file: string,
): Promise<{ readonly file: string; readonly root: Mapping } | undefined> {
  const text = readText(file);
  if (text === undefined) return undefined;
  const root = text.trimStart().startsWith('{')
    ? parse(file, () => JSON.parse(text))
    : await parseYaml(file, text);
  if (!isRecord(root)) throw kubeconfigError(`${file} is not a kubeconfig: not a mapping`);
  return { file, root };
}

function readText(file: string): string | undefined {
  try {
    if (statSync(file).size > MAX_BYTES)
      throw kubeconfigError(
        `${file} is not a kubeconfig: larger than ${MAX_BYTES / 1024 / 1024} MiB`,
      );
    return readPlainFile(file);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    if (codeOf(thrown) === 'cluster-config') throw thrown;
    throw kubeconfigError(
      `cannot read the kubeconfig ${file}: ${messageOf(thrown)}`,
      undefined,
      thrown,
    );
  }
}

async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { uniqueKeys: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line = 0, col = 0 } = error.linePos?.[0] ?? {};
    throw kubeconfigError(`${file}:${line}:${col}: invalid YAML (${error.code})`);
  }
  return parse(file, () => document.toJS({ maxAliasCount: 100 }) as unknown);
}

function parse(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw kubeconfigError(`${file} is not a kubeconfig: invalid JSON or YAML`);
  }
}

function named(
  list: unknown,
  label: string,
  member: string,
  file: string,
): readonly (readonly [string, Entry])[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw kubeconfigError(`${file}: ${label} is not a list`);
  return list.map((each: unknown, index) => {
    if (!isRecord(each) || typeof each['name'] !== 'string')
      throw kubeconfigError(`${file}: ${label}[${index}] has no name`);
    const value = each[member] ?? {};
    if (!isRecord(value))
      throw kubeconfigError(`${file}: ${label} "${each['name']}": ${member} is not a mapping`);
    return [each['name'], { value, folder: dirname(resolve(file)), file }] as const;
  });
}
