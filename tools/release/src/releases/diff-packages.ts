/** A package of an image, for comparisons. */
export interface PackageVersion {
  /** `debian`, `python`, `go` or `npm`. */
  readonly kind: string;
  readonly name: string;
  readonly version: string;
}

/** A package whose versions differ between two sets: absent `from` is new, absent `to` is gone. */
export interface PackageChange {
  readonly kind: string;
  readonly name: string;
  readonly from?: string;
  readonly to?: string;
  /** Images with this change, sorted. */
  readonly images: readonly string[];
}

/** The packages of images, by image name. */
export type PackagesByImage = ReadonlyMap<string, readonly PackageVersion[]>;

/** The changed packages between two sets, sorted; an equal change of several images is one. */
export function diffPackages(
  before: PackagesByImage,
  after: PackagesByImage,
): readonly PackageChange[] {
  const changes = new Map<string, PackageChange>();
  for (const image of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [versionsBy(before.get(image)), versionsBy(after.get(image))];
    for (const key of new Set([...old.keys(), ...now.keys()])) {
      const [from, to] = [old.get(key)?.join(', '), now.get(key)?.join(', ')];
      if (from === to) continue;
      const id = JSON.stringify([key, from, to]);
      const [kind = '', name = ''] = key.split(' ');
      changes.set(id, {
        kind,
        name,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        images: [...(changes.get(id)?.images ?? []), image],
      });
    }
  }
  return [...changes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

/** `KIND NAME` -> versions; an image can have several versions of an npm package. */
function versionsBy(packages: readonly PackageVersion[] = []): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { kind, name, version } of packages) {
    const key = `${kind} ${name}`;
    const known = found.get(key) ?? [];
    if (!known.includes(version)) found.set(key, [...known, version].sort());
  }
  return found;
}

const SHOWN = 4;

/** The changes as text, a line for each package. */
export function packageLines(changes: readonly PackageChange[]): readonly string[] {
  return changes.map(({ kind, name, from = 'none', to = 'none', images }) => {
    const more = images.length > SHOWN ? ` and ${images.length - SHOWN} more` : '';
    return `${kind} ${name}: ${from} -> ${to} (${images.slice(0, SHOWN).join(', ')}${more})`;
  });
}
