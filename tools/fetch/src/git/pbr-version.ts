/** A version as pbr parses it from a tag: three numbers and an optional pre-release. */
interface Release {
  readonly numbers: readonly [number, number, number];
  readonly pre?: { readonly type: string; readonly number: number };
}

const TAG = /^(\d+)\.(\d+)(?:\.(\d+))?(?:\.0?)?(?:(a|b|rc)(\d+))?$/;

/** Whether a tag is a version. */
export function isVersionTag(tag: string): boolean {
  return TAG.test(tag);
}

/** The highest version among these tags; `undefined` if no tag is a version. */
export function highestVersion(tags: readonly string[]): string | undefined {
  return tags
    .filter(isVersionTag)
    .sort((a, b) => compare(parse(a), parse(b)))
    .at(-1);
}

/**
 * The version of a commit that is `distance` commits after the version tag `tag` (`undefined`: the
 * project has no tag yet), as pbr computes it (pbr's documentation, "Versioning"): the next version
 * that the `Sem-Ver:` lines of the commit messages request, with `.devN`.
 */
export function developmentVersion(
  tag: string | undefined,
  distance: number,
  messages: string,
): string {
  if (tag === undefined) return `0.0.1.dev${distance}`;
  const { numbers, pre } = parse(tag);
  const [major, minor, patch] = numbers;
  if (pre !== undefined)
    return `${major}.${minor}.${patch}.0${pre.type}${pre.number + 1}.dev${distance}`;
  const requested = new Set(
    [...messages.matchAll(/^sem-ver:\s*(.*)$/gim)].flatMap(([, list]) =>
      (list ?? '').split(',').map((word) => word.trim().toLowerCase()),
    ),
  );
  if (requested.has('api-break')) return `${major + 1}.0.0.dev${distance}`;
  if (requested.has('feature') || requested.has('deprecation'))
    return `${major}.${minor + 1}.0.dev${distance}`;
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
  if (a.pre === undefined || b.pre === undefined)
    return Number(a.pre === undefined) - Number(b.pre === undefined);
  return a.pre.type === b.pre.type ? a.pre.number - b.pre.number : a.pre.type < b.pre.type ? -1 : 1;
}
