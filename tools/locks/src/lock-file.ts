import {
  CcpError,
  imageName,
  mapRecord,
  omitUndefined,
  series as seriesName,
  sha256,
  type ImageName,
  type Series,
  type Sha256,
} from '#core';
import { parseYaml } from '#definitions';
import { goProxyPath } from '#formats';
import { lockSchema } from './lock-schema.ts';
import type {
  DebianPackage,
  GoFile,
  Lock,
  LockedGo,
  LockedSource,
  NpmPackage,
  PythonFile,
} from './types.ts';

/** Maximum length of a lock in characters; 500 packages need about 150,000. */
const MAX_LOCK = 4 * 1024 * 1024;
const HEADER = '# Written by `ccp lock`; the checksum finds any edit by hand.\n';
const CHECKSUM = /^checksum: "?([0-9a-f]{64})"?\n/m;
const PLAIN = /^[A-Za-z][A-Za-z0-9._/+~-]*$/;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
const QUOTED = new Set(['version', 'sha256', 'commit', 'ref']);

type Scalar = string | number | readonly string[];

function scalar(key: string, value: Scalar): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  return PLAIN.test(value) && !RESERVED.test(value) && !QUOTED.has(key)
    ? value
    : JSON.stringify(value);
}

function flow(members: Readonly<Record<string, Scalar>>): string {
  return `{ ${Object.entries(members)
    .map(([key, value]) => `${key}: ${scalar(key, value)}`)
    .join(', ')} }`;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function debianLines(packages: readonly DebianPackage[]): string[] {
  return packages
    .toSorted((a, b) => byText(a.name, b.name) || byText(a.architecture, b.architecture))
    .map(({ name, version, architecture, archive, pool, size, sha256: hash }) =>
      flow({ name, version, architecture, archive, pool, size, sha256: hash }),
    );
}

function pythonLines(files: readonly PythonFile[]): string[] {
  return files
    .toSorted((a, b) => byText(a.name, b.name) || byText(a.version, b.version))
    .map(({ name, version, kind, file, size, sha256: hash }) =>
      flow({ name, version, kind, file, size, sha256: hash }),
    );
}

function goLines(files: readonly GoFile[]): string[] {
  return files
    .toSorted(
      (a, b) => byText(a.name, b.name) || byText(a.version, b.version) || byText(a.kind, b.kind),
    )
    .map(({ name, version, kind, size, sha256: hash, sum }) =>
      flow({ name, version, kind, size, sha256: hash, sum }),
    );
}

function npmLines(packages: readonly NpmPackage[]): string[] {
  return packages
    .toSorted((a, b) => byText(a.path, b.path))
    .map(({ path, name, version, file, integrity, size, sha256: hash }) =>
      flow({ path, name, version, file, integrity, size, sha256: hash }),
    );
}

function list(key: string, lines: readonly string[], indent: string): string {
  if (lines.length === 0) return `${indent}${key}: []\n`;
  return `${indent}${key}:\n${lines.map((line) => `${indent}  - ${line}\n`).join('')}`;
}

function sourceText(key: string, source: LockedSource): string {
  const { repository, ref, commit, version, submodules, archive } = source;
  const lines = Object.entries({
    repository,
    ref,
    commit,
    version,
    ...(submodules.length > 0 ? { submodules } : {}),
  });
  const text = lines.map(([name, value]) => `    ${name}: ${scalar(name, value)}\n`).join('');
  if (archive === undefined) return `  ${key}:\n${text}`;
  const { name, file, size, sha256 } = archive;
  return `  ${key}:\n${text}    archive: ${flow({ name, file, size, sha256 })}\n`;
}

function goText({ language, requires, files }: LockedGo): string {
  const versions = Object.keys(requires)
    .sort()
    .map((path) => `    ${path}: ${JSON.stringify(requires[path])}\n`)
    .join('');
  return `  language: ${JSON.stringify(language)}\n  requires:${versions === '' ? ' {}' : ''}\n${versions}${list('files', goLines(files), '  ')}`;
}

function section(key: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${key}:\n${parts.join('')}`;
}

/** Renders a lock file, deterministically, with one line per package. */
export function renderLock(lock: Lock): string {
  const head = `${HEADER}format: 1\nimage: ${lock.image}\nseries: ${JSON.stringify(lock.series)}\n`;
  const stages = Object.keys(lock.debian).sort();
  const debian = stages.map((stage) => list(stage, debianLines(lock.debian[stage]!), '  '));
  const uses = (['runtime', 'build'] as const).filter((use) => lock.python[use].length > 0);
  const python = uses.map((use) => list(use, pythonLines(lock.python[use]), '  '));
  const keys = Object.keys(lock.sources).sort();
  const sources = keys.map((key) => sourceText(key, lock.sources[key]!));
  const rest = [
    `request: ${JSON.stringify(lock.request)}\n`,
    section('debian', debian),
    section('python', python),
    section('go', lock.go === undefined ? [] : [goText(lock.go)]),
    lock.npm === undefined ? '' : list('npm', npmLines(lock.npm), ''),
    section('sources', sources),
  ].join('');
  return `${head}checksum: "${sha256(head + rest)}"\n${rest}`;
}

/** The fix for line endings converted by git: resolving the lock again could change versions. */
const AS_COMMITTED =
  'if git converted them, add `* -text` to .gitattributes and check out the file again';

interface LockDocument {
  readonly image: string;
  readonly series: string;
  readonly request: Sha256;
  readonly debian?: Readonly<Record<string, readonly DebianPackage[]>>;
  readonly python?: {
    readonly runtime?: readonly PythonFile[];
    readonly build?: readonly PythonFile[];
  };
  readonly go?: LockedGo;
  readonly npm?: readonly NpmPackage[];
  readonly sources?: Readonly<
    Record<string, Omit<LockedSource, 'submodules'> & { readonly submodules?: readonly string[] }>
  >;
}

/**
 * Parses the lock of this image and series; `file` is its name in messages. Raises `lock-tampered`
 * if the checksum does not match the file, and `lock-invalid` or `yaml-invalid` if the content is
 * not a valid lock.
 */
export function parseLock(text: string, file: string, image: ImageName, series: Series): Lock {
  const fail = (code: string, message: string): never => {
    throw new CcpError({
      code,
      message,
      hint: `run: ccp lock ${image} --series ${series}`,
      at: { file },
    });
  };
  if (text.includes('\r\n'))
    fail('lock-tampered', `the lock has Windows line endings (CRLF); ${AS_COMMITTED}`);
  if (/^(?:<{7}|>{7}) /m.test(text))
    fail(
      'lock-tampered',
      'the lock contains merge conflict markers; lock again instead of merging it manually',
    );
  const checksum = CHECKSUM.exec(text);
  if (checksum === null) fail('lock-tampered', 'the lock has no checksum');
  if (sha256(text.replace(CHECKSUM, '')) !== checksum![1])
    fail('lock-tampered', 'the lock was edited: its checksum does not match its content');
  const { value } = parseYaml<LockDocument>(text, file, lockSchema, MAX_LOCK);
  if (imageName(value.image) !== image || seriesName(value.series) !== series) {
    fail(
      'lock-invalid',
      `the lock is for ${value.image} ${value.series}, not for ${image} ${series}`,
    );
  }
  const lists = [...Object.values(value.debian ?? {}), value.python?.runtime ?? []].map((items) =>
    items.map(({ name }) => name),
  );
  for (const names of [
    ...lists,
    (value.go?.files ?? []).map(goProxyPath),
    (value.npm ?? []).map(({ path }) => path),
  ]) {
    const seen = new Set<string>();
    const duplicate = names.find((name) => seen.size === seen.add(name).size);
    if (duplicate !== undefined) fail('lock-invalid', `the lock lists ${duplicate} twice`);
  }
  for (const item of [...(value.python?.runtime ?? []), ...(value.python?.build ?? [])]) {
    if (item.file.endsWith('.whl') !== (item.kind === 'wheel'))
      fail('lock-invalid', `the lock lists ${item.file} as a ${item.kind}`);
  }
  return {
    format: 1,
    image,
    series,
    request: value.request,
    debian: value.debian ?? {},
    python: { runtime: value.python?.runtime ?? [], build: value.python?.build ?? [] },
    ...omitUndefined({ go: value.go }),
    ...omitUndefined({ npm: value.npm }),
    sources: mapRecord(value.sources ?? {}, (source) => ({ submodules: [], ...source })),
  };
}
