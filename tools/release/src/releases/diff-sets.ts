import type { ImageSet, ImageSetEntry } from '../types.ts';

/** A changed source of an image. */
export interface SourceChange {
  readonly source: string;
  readonly from?: string;
  readonly to?: string;
}

/** The changes of an image between two sets. */
export interface ImageChange {
  readonly image: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly sources: readonly SourceChange[];
  /** Changed package lists, like `debian runtime`. */
  readonly packages: readonly string[];
  readonly appSpec: boolean;
  /** Difference of the compressed size in bytes. */
  readonly size: number;
}

/** The changes between two image sets, by image name. Pure. */
export function diffSets(before: ImageSet, after: ImageSet): readonly ImageChange[] {
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const change = imageChange(name, old.get(name), now.get(name));
    return change === undefined ? [] : [change];
  });
}

function byName({ images }: ImageSet): ReadonlyMap<string, ImageSetEntry> {
  return new Map(images.map((entry) => [entry.name, entry]));
}

function imageChange(
  image: string,
  before: ImageSetEntry | undefined,
  after: ImageSetEntry | undefined,
): ImageChange | undefined {
  const appSpec = before?.app?.digest !== after?.app?.digest;
  if (before?.digest === after?.digest && !appSpec) return undefined;
  return {
    image,
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    sources: changedKeys(sourceTexts(before), sourceTexts(after)).map(([source, from, to]) => ({
      source,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    })),
    packages: changedKeys(packageHashes(before), packageHashes(after)).map(([key]) => key),
    appSpec,
    size: (after?.compressedSize ?? 0) - (before?.compressedSize ?? 0),
  };
}

type Texts = Readonly<Record<string, string>>;

function sourceTexts(entry: ImageSetEntry | undefined): Texts {
  return Object.fromEntries(
    Object.entries(entry?.sources ?? {}).map(([key, { version, commit }]) => [
      key,
      `${version} (${commit.slice(0, 12)})`,
    ]),
  );
}

function packageHashes(entry: ImageSetEntry | undefined): Texts {
  return Object.fromEntries(
    Object.entries(entry?.packages ?? {}).flatMap(([kind, lists]) =>
      Object.entries(lists as Texts).map(([stage, hash]) => [`${kind} ${stage}`, hash]),
    ),
  );
}

function changedKeys(
  before: Texts,
  after: Texts,
): readonly (readonly [string, string | undefined, string | undefined])[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .filter((key) => before[key] !== after[key])
    .map((key) => [key, before[key], after[key]]);
}

/** The changes as text, a few lines for each image. */
export function diffLines(changes: readonly ImageChange[]): readonly string[] {
  if (changes.length === 0) return ['no differences'];
  return changes.flatMap(({ image, change, sources, packages, appSpec, size }) => [
    `${image} ${change}${size === 0 ? '' : `, ${size > 0 ? '+' : '-'}${Math.ceil(Math.abs(size) / 1000)} kB`}`,
    ...sources.map(
      ({ source, from = 'none', to = 'none' }) => `  source ${source}: ${from} -> ${to}`,
    ),
    ...(packages.length === 0 ? [] : [`  packages: ${packages.join(', ')}`]),
    ...(appSpec && change === 'changed' ? ['  app spec changed'] : []),
  ]);
}
