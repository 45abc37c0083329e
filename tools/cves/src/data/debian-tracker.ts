import { isRecord, omitUndefined } from '#core';
import { invalidData, parseData } from './json-file.ts';

/** The state of a vulnerability of a source package in one release. */
export interface TrackerEntry {
  readonly status: string;
  /** First version with the fix; `0` if the release was never affected. */
  readonly fixedVersion?: string;
  readonly urgency?: string;
  /** Versions in the archives of the release, like `trixie` and `trixie-security`. */
  readonly repositories: readonly string[];
  /** Why Debian has no advisory. */
  readonly nodsa?: string;
  readonly nodsaReason?: string;
}

/** Debian's security tracker, for some source packages. */
export interface DebianTracker {
  /** File name, for messages. */
  readonly file: string;
  /** Releases that the file describes; those without support are absent. */
  readonly releases: ReadonlySet<string>;
  /** Source package -> vulnerability -> release -> state. */
  readonly sources: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, TrackerEntry>>>;
}

/**
 * Parses the untrusted text of the tracker's JSON file; entries of other source packages than
 * `wanted` are not checked. Throws `cve-data-invalid`.
 */
export function parseDebianTracker(
  text: string,
  file: string,
  wanted: ReadonlySet<string>,
): DebianTracker {
  const value = parseData(text, file);
  if (!isRecord(value)) throw invalidData(file, 'it is not an object of source packages');
  const releases = new Set<string>();
  const sources = new Map<string, ReadonlyMap<string, ReadonlyMap<string, TrackerEntry>>>();
  for (const [source, cves] of Object.entries(value)) {
    const place = source;
    if (!isRecord(cves)) throw invalidData(file, 'is not an object', { place });
    const entries = new Map<string, ReadonlyMap<string, TrackerEntry>>();
    for (const [cve, entry] of Object.entries(cves)) {
      const known = isRecord(entry) ? entry['releases'] : undefined;
      if (!isRecord(known))
        throw invalidData(file, 'is not an object', { place: `${source}.${cve}.releases` });
      for (const release of Object.keys(known)) releases.add(release);
      if (!wanted.has(source)) continue;
      entries.set(
        cve,
        new Map(
          Object.entries(known).map(([release, state]) => [
            release,
            entryOf(state, file, `${source}.${cve}.releases.${release}`),
          ]),
        ),
      );
    }
    if (wanted.has(source)) sources.set(source, entries);
  }
  if (releases.size === 0) throw invalidData(file, 'it has no releases of Debian');
  return { file, releases, sources };
}

function entryOf(value: unknown, file: string, place: string): TrackerEntry {
  if (!isRecord(value)) throw invalidData(file, 'is not an object', { place });
  const text = (key: string): string | undefined => {
    const member = value[key];
    if (member === undefined || member === null) return undefined;
    if (typeof member !== 'string')
      throw invalidData(file, 'is not a string', { place: `${place}.${key}` });
    return member;
  };
  const repositories = value['repositories'];
  if (repositories !== undefined && !isRecord(repositories))
    throw invalidData(file, 'is not an object', { place: `${place}.repositories` });
  const status = text('status');
  if (status === undefined) throw invalidData(file, 'is missing', { place: `${place}.status` });
  return {
    status,
    repositories: Object.entries(repositories ?? {}).map(([name, version]) => {
      if (typeof version === 'string') return version;
      throw invalidData(file, 'is not a string', { place: `${place}.repositories.${name}` });
    }),
    ...omitUndefined({
      fixedVersion: text('fixed_version'),
      urgency: text('urgency'),
      nodsa: text('nodsa'),
      nodsaReason: text('nodsa_reason'),
    }),
  };
}
