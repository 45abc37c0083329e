import type { FileRecord } from '#context';
import { counted, omitUndefined } from '#core';
import { changedLines, type ChangedLines } from '#formats';
import { quotedChange, quotedLine } from './quoted-change.ts';
import type { Difference, ImageRecord, RecordedImage } from './types.ts';

type Texts = Readonly<Record<string, string | undefined>>;
/** Maximum number of runs of changed lines in a message. */
const SHOWN_RUNS = 3;

type Named = 'file' | 'patch' | 'package' | 'source' | 'argument' | 'label';

/**
 * The inputs that differ between `previous` and `current`, the most informative first. Packages are
 * listed individually if both images have details, else by list. Empty if the fingerprints are
 * equal.
 */
export function differences(
  previous: RecordedImage,
  current: RecordedImage,
): readonly Difference[] {
  const [before, now] = [previous.record, current.record];
  return [
    ...scalars(before, now),
    ...dockerfile(previous, current),
    ...named('file', fileTexts(before.files), fileTexts(now.files)),
    ...named('file', fileTexts(before.tree), fileTexts(now.tree)),
    ...packages(previous, current),
    ...sources(previous, current),
    ...named('patch', before.patches ?? {}, now.patches ?? {}),
    ...named('argument', before.args, now.args),
    ...named('label', before.labels, now.labels),
    ...keysOf(before.parents, now.parents).map((name): Difference => ({
      input: 'parent',
      name,
      ...change(before.parents[name], now.parents[name]),
    })),
  ];
}

/**
 * A difference as a clause: `debian package runtime/memcached 1.6.38-1 -> 1.6.39-1`. A file that is
 * no longer an input can still exist.
 */
export function differenceText(difference: Difference): string {
  const { input } = difference;
  const [from, to] = [difference.from, difference.to];
  switch (input) {
    case 'dockerfile':
      return `the rendered Dockerfile changed${difference.lines === undefined ? '' : ` ${linesText(difference.lines)}`}`;
    case 'parent':
      return `parent ${difference.image === undefined ? difference.name : `${difference.image} (${difference.name})`} ${becameText(from, to)}`;
    case 'patch':
      return `patch ${difference.name} ${becameText(from, to)}`;
    case 'file':
      return `${kindOf(to ?? from)} ${difference.name} ${modeOnly(from, to) ?? becameText(from, to)}`;
    case 'platform':
    case 'semantics':
    case 'unlocked':
    case 'network':
    case 'schema':
    case 'series':
      return `${input === 'semantics' ? 'build semantics' : input} ${from} -> ${to}`;
    default: {
      const subject = `${input} ${difference.name}`;
      if (from === undefined) return `${subject} ${to} is new`;
      if (to === undefined) return `${subject} ${from} was removed`;
      return from.length === 64 && to.length === 64
        ? `${subject} changed`
        : `${subject} ${from} -> ${to}`;
    }
  }
}

function becameText(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return 'is a new input';
  return to === undefined ? 'is no longer an input' : 'changed';
}

/** The noun for a value of `fileText`. */
function kindOf(text: string | undefined): string {
  if (text === 'directory') return 'folder';
  return text?.startsWith('-> ') === true ? 'link' : 'file';
}

function scalars(before: ImageRecord, now: ImageRecord): readonly Difference[] {
  const found: Difference[] = [];
  for (const input of ['schema', 'series', 'platform', 'semantics', 'unlocked'] as const) {
    const [from, to] = [String(before[input]), String(now[input])];
    if (from !== to) found.push({ input, from, to });
  }
  const [from, to] = [networkOf(before), networkOf(now)];
  if (from !== to) found.push({ input: 'network', from, to });
  return found;
}

/** The network of the steps if they are unlocked. */
function networkOf({ network }: ImageRecord): string {
  return network ?? 'bridge';
}

function dockerfile(previous: RecordedImage, current: RecordedImage): readonly Difference[] {
  const [from, to] = [previous.record.dockerfile, current.record.dockerfile];
  if (from === to) return [];
  const [old, fresh] = [previous.details?.dockerfile, current.details?.dockerfile];
  const lines = old === undefined || fresh === undefined ? undefined : changedLines(old, fresh);
  return [
    {
      input: 'dockerfile',
      from,
      to,
      ...(lines === undefined || lines.length === 0 ? {} : { lines }),
    },
  ];
}

/** The first line of the first runs, and the total number of lines if some are not shown. */
function linesText(runs: readonly ChangedLines[]): string {
  const shown = runs.slice(0, SHOWN_RUNS).map(({ line, from, to }) => {
    const [old, fresh] = [from[0], to[0]];
    if (old === undefined) return `at line ${line}: ${quotedLine(fresh ?? '')} is new`;
    return `at line ${line}: ${fresh === undefined ? `${quotedLine(old)} was removed` : quotedChange(old, fresh)}`;
  });
  const [removed, added] = [
    runs.flatMap(({ from }) => from).length,
    runs.flatMap(({ to }) => to).length,
  ];
  if (runs.length <= SHOWN_RUNS && runs.every(({ from, to }) => from.length <= 1 && to.length <= 1))
    return shown.join('; ');
  const counts = [
    ...(added === 0 ? [] : [`${counted(added, 'line')} added`]),
    ...(removed === 0 ? [] : [`${counted(removed, 'line')} removed`]),
  ];
  return `${shown.join('; ')} (in all ${counts.join(', ')})`;
}

function packages(previous: RecordedImage, current: RecordedImage): readonly Difference[] {
  const found: Difference[] = [];
  for (const kind of ['debian', 'python', 'go', 'npm'] as const) {
    const [before, now]: readonly (Texts | undefined)[] = [
      previous.record[kind],
      current.record[kind],
    ];
    for (const list of keysOf(before ?? {}, now ?? {})) {
      if (before?.[list] === now?.[list]) continue;
      const [old, fresh] = [previous.details?.[kind]?.[list], current.details?.[kind]?.[list]];
      const each =
        previous.details && current.details
          ? named('package', prefixed(list, old), prefixed(list, fresh))
          : [];
      found.push(
        ...(each.length > 0
          ? each
          : [
              {
                input: 'package' as const,
                name: `list ${kind} ${list}`,
                ...change(before?.[list], now?.[list]),
              },
            ]),
      );
    }
  }
  return found;
}

function prefixed(list: string, versions: Texts | undefined): Texts {
  return Object.fromEntries(
    Object.entries(versions ?? {}).map(([name, version]) => [`${list}/${name}`, version]),
  );
}

/** Sources with different identities, with version and commit if both images have details. */
function sources(previous: RecordedImage, current: RecordedImage): readonly Difference[] {
  const [before, now] = [previous.record.sources, current.record.sources];
  const hasDetails = previous.details !== undefined && current.details !== undefined;
  const [from, to] = hasDetails ? [sourcesOf(previous), sourcesOf(current)] : [before, now];
  return keysOf(before, now).map((name) => ({
    input: 'source',
    name,
    ...change(from[name], to[name]),
  }));
}

function sourcesOf(image: RecordedImage): Texts {
  const details = image.details?.sources ?? {};
  return Object.fromEntries(
    Object.entries(image.record.sources).map(([key, identity]) => {
      const detail = details[key];
      return [
        key,
        detail === undefined
          ? identity
          : `${detail.version} (${identity.split(':')[0]} ${detail.commit.slice(0, 12)})`,
      ];
    }),
  );
}

function fileTexts(files: readonly FileRecord[] = []): Texts {
  return Object.fromEntries(files.map((file) => [file.path, fileText(file)]));
}

function fileText(file: FileRecord): string {
  if (file.type === 'directory') return 'directory';
  return file.type === 'symlink'
    ? `-> ${file.target}`
    : `${file.sha256} ${file.executable ? 'executable' : 'plain'}`;
}

function modeOnly(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const [oldHash, oldMode] = from.split(' ');
  const [newHash, newMode] = to.split(' ');
  return oldHash === newHash && oldMode !== newMode ? `became ${newMode}` : undefined;
}

function named(input: Named, before: Texts, now: Texts): readonly Difference[] {
  return keysOf(before, now).map((name) => ({ input, name, ...change(before[name], now[name]) }));
}

/** Keys with different values, sorted. */
function keysOf(before: Texts, now: Texts): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .sort()
    .filter((key) => before[key] !== now[key]);
}

function change(
  from: string | undefined,
  to: string | undefined,
): { readonly from?: string; readonly to?: string } {
  return { ...omitUndefined({ from }), ...omitUndefined({ to }) };
}
