import { canonicalJson } from '#core';
import type { Lock } from './types.ts';

/**
 * A package that differs between two locks: `before` is absent for an added package, `after` for a
 * removed one.
 */
export interface PackageChange {
  /** `debian runtime`, `python build`, `go`, `npm`, `sources`. */
  readonly section: string;
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
}

/** The differences between two locks of one image. */
export interface LockDiff {
  readonly image: string;
  readonly series: string;
  readonly changes: readonly PackageChange[];
}

/** Name -> label shown in the difference, and an identity to compare. */
type Section = Map<string, { readonly label: string; readonly identity: string }>;

function add(section: Section, name: string, label: string, identity: string): void {
  const known = section.get(name);
  section.set(
    name,
    known === undefined
      ? { label, identity }
      : { label: `${known.label}, ${label}`, identity: `${known.identity} ${identity}` },
  );
}

function sectionsOf(lock: Lock | undefined): Map<string, Section> {
  const sections = new Map<string, Section>();
  const section = (name: string): Section => {
    const known = sections.get(name) ?? new Map();
    sections.set(name, known);
    return known;
  };
  if (lock === undefined) return sections;
  for (const [stage, packages] of Object.entries(lock.debian)) {
    for (const item of packages)
      add(section(`debian ${stage}`), item.name, item.version, item.sha256);
  }
  for (const list of ['runtime', 'build'] as const) {
    for (const item of lock.python[list])
      add(section(`python ${list}`), item.name, item.version, item.sha256);
  }
  for (const { name, version, kind, sha256 } of lock.go?.files ?? []) {
    if (kind === 'zip') add(section('go'), name, version, sha256);
  }
  for (const { path, version, sha256 } of lock.npm ?? [])
    add(section('npm'), path.replace(/^node_modules\//, ''), version, sha256);
  for (const [key, source] of Object.entries(lock.sources)) {
    add(
      section('sources'),
      key,
      `${source.ref} (${source.commit.slice(0, 12)})`,
      canonicalJson({ ...source }),
    );
  }
  return sections;
}

/**
 * Compares two locks of an image; `before` is `undefined` for the first lock. Sections and names
 * are sorted.
 */
export function diffLocks(before: Lock | undefined, after: Lock): LockDiff {
  const old = sectionsOf(before);
  const now = sectionsOf(after);
  const changes: PackageChange[] = [];
  for (const section of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const left: Section = old.get(section) ?? new Map();
    const right: Section = now.get(section) ?? new Map();
    for (const name of [...new Set([...left.keys(), ...right.keys()])].sort()) {
      const was = left.get(name);
      const is = right.get(name);
      if (was?.identity === is?.identity) continue;
      const rebuilt = was !== undefined && was.label === is?.label;
      changes.push({
        section,
        name,
        ...(was === undefined ? {} : { before: was.label }),
        ...(is === undefined ? {} : { after: rebuilt ? `${is.label} (different file)` : is.label }),
      });
    }
  }
  return { image: after.image, series: after.series, changes };
}

/**
 * Formats the difference as text, a line per package under its section; empty if nothing changed.
 */
export function renderLockDiff(diff: LockDiff): string {
  if (diff.changes.length === 0) return '';
  const lines = [`${diff.image} ${diff.series}`];
  let section = '';
  for (const change of diff.changes) {
    if (change.section !== section) lines.push(`  ${(section = change.section)}`);
    if (change.before === undefined) lines.push(`    + ${change.name} ${change.after}`);
    else if (change.after === undefined) lines.push(`    - ${change.name} ${change.before}`);
    else lines.push(`    ~ ${change.name} ${change.before} -> ${change.after}`);
  }
  return `${lines.join('\n')}\n`;
}
