/** A version as pbr reads it of a tag: three numbers, or four with a pre-release. */
interface Release {
  readonly numbers: readonly [number, number, number];
  readonly pre?: { readonly type: string; readonly number: number };
}

const TAG = /^(\d+)\.(\d+)(?:\.(\d+))?(?:\.0?)?(?:(a|b|rc)(\d+))?$/;

/** True where a tag names a version. */
export function isVersionTag(tag: string): boolean {
  return TAG.test(tag);
}

/** The highest of these version tags; nothing where none is one. */
export function highestVersion(tags: readonly string[]): string | undefined {
  return tags
    .filter(isVersionTag)
    .sort((a, b) => compare(parse(a), parse(b)))
    .at(-1);
}

/**
 * The version of a commit `distance` commits after the version tag `tag` (none: the project has no tag yet), as pbr computes it
 * (pbr's documentation, "Versioning"): the next version that the `Sem-Ver:` lines of the messages between ask for, with `.devN`.
 */
export function developmentVersion(tag: string | undefined, distance: number, messages: string): string {
  if (tag === undefined) return `0.0.1.dev${distance}`;
  const { numbers, pre } = parse(tag);
  const [major, minor, patch] = numbers;
  if (pre !== undefined) return `${major}.${minor}.${patch}.0${pre.type}${pre.number + 1}.dev${distance}`;
  const asked = new Set([...messages.matchAll(/^sem-ver:\s*(.*)$/gim)].flatMap(([, list]) => (list ?? '').split(',').map((word) => word.trim().toLowerCase())));
  if (asked.has('api-break')) return `${major + 1}.0.0.dev${distance}`;
  if (asked.has('feature') || asked.has('deprecation')) return `${major}.${minor + 1}.0.dev${distance}`;
  return `${major}.${minor}.${patch + 1}.dev${distance}`;
}

function parse(tag: string): Release {
  const [, major, minor, patch, type, number] = TAG.exec(tag) ?? [];
  const numbers = [Number(major), Number(minor), Number(patch ?? 0)] as const;
  return type === undefined ? { numbers } : { numbers, pre: { type, number: Number(number) } };
}

function compare(a: Release, b: Release): number {
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.pre === undefined || b.pre === undefined) return Number(a.pre === undefined) - Number(b.pre === undefined);
  return a.pre.type === b.pre.type ? a.pre.number - b.pre.number : a.pre.type < b.pre.type ? -1 : 1;
}
