import { isRecord } from '#core';
import { normaliseProject } from '#formats';
import type { PackageKind } from '../types.ts';
import { invalidData, parseData } from './json-file.ts';

/** Ecosystems of OSV that are compared; OSV's data about Debian has too many false positives. */
const ECOSYSTEMS: Readonly<Record<string, Exclude<PackageKind, 'debian'>>> = {
  PyPI: 'python',
  Go: 'go',
  npm: 'npm',
};

/** A change of a range: `introduced`, `fixed`, `last_affected` or `limit`, and its version. */
export interface OsvEvent {
  readonly type: 'introduced' | 'fixed' | 'last_affected' | 'limit';
  readonly version: string;
}

/** The affected versions of a package. */
export interface OsvAffected {
  /** `KIND NAME`, see `osvKey`. */
  readonly key: string;
  readonly versions: readonly string[];
  /** Ranges of versions; ranges of commits are left out. */
  readonly ranges: readonly (readonly OsvEvent[])[];
  /** True if it has a range of commits, which versions cannot be compared with. */
  readonly hasCommits: boolean;
}

/** An OSV record. */
export interface OsvRecord {
  readonly file: string;
  readonly id: string;
  readonly aliases: readonly string[];
  readonly affected: readonly OsvAffected[];
}

/** The key of a package; Python names are compared in their normalised form. */
export function osvKey(kind: PackageKind, name: string): string {
  return `${kind} ${kind === 'python' ? normaliseProject(name) : name}`;
}

const EVENTS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;

/**
 * Parses the untrusted text of one record, with the packages of known ecosystems; undefined if it
 * was withdrawn. Throws `cve-data-invalid`.
 */
export function parseOsvRecord(text: string, file: string): OsvRecord | undefined {
  const value = parseData(text, file);
  if (!isRecord(value)) throw invalidData(file, 'it is not an OSV record: it is not an object');
  const { id, withdrawn } = value;
  if (typeof id !== 'string' || id === '') throw invalidData(file, 'is missing', { place: 'id' });
  if (withdrawn !== undefined && withdrawn !== null) return undefined;
  return {
    file,
    id,
    aliases: texts(value['aliases'], file, 'aliases'),
    affected: list(value['affected'], file, 'affected').flatMap((each, index) =>
      affectedOf(each, file, `affected[${index}]`),
    ),
  };
}

function affectedOf(value: unknown, file: string, place: string): readonly OsvAffected[] {
  if (!isRecord(value)) throw invalidData(file, 'is not an object', { place });
  const about = value['package'];
  // A record about a git repository alone.
  if (about === undefined || about === null) return [];
  if (!isRecord(about)) throw invalidData(file, 'is not an object', { place: `${place}.package` });
  const { ecosystem, name } = about;
  if (typeof ecosystem !== 'string' || typeof name !== 'string')
    throw invalidData(file, 'has no ecosystem or name', { place: `${place}.package` });
  const kind = ECOSYSTEMS[ecosystem];
  if (kind === undefined || !Object.hasOwn(ECOSYSTEMS, ecosystem)) return [];
  const ranges = list(value['ranges'], file, `${place}.ranges`).map((range, index) =>
    rangeOf(range, file, `${place}.ranges[${index}]`),
  );
  return [
    {
      key: osvKey(kind, name),
      versions: texts(value['versions'], file, `${place}.versions`),
      ranges: ranges.flatMap((range) => (range === 'commits' ? [] : [range])),
      hasCommits: ranges.includes('commits'),
    },
  ];
}

function rangeOf(value: unknown, file: string, place: string): readonly OsvEvent[] | 'commits' {
  if (!isRecord(value)) throw invalidData(file, 'is not an object', { place });
  if (value['type'] === 'GIT') return 'commits';
  return list(value['events'], file, `${place}.events`).map((event, index): OsvEvent => {
    const at = `${place}.events[${index}]`;
    if (!isRecord(event)) throw invalidData(file, 'is not an object', { place: at });
    for (const type of EVENTS) {
      const version = event[type];
      if (typeof version === 'string') return { type, version };
    }
    throw invalidData(file, 'has no known event', { place: at });
  });
}

function list(value: unknown, file: string, place: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidData(file, 'is not a list', { place });
  return value;
}

function texts(value: unknown, file: string, place: string): readonly string[] {
  return list(value, file, place).map((each, index) => {
    if (typeof each === 'string') return each;
    throw invalidData(file, 'is not a string', { place: `${place}[${index}]` });
  });
}
