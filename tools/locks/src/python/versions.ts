const RELEASE_PARTS = 8;

/**
 * The numbers of a final or post release (PEP 440), padded for comparison; `undefined` for other
 * versions.
 */
function finalParts(version: string): number[] | undefined {
  const match = /^v?(\d+(?:\.\d+){0,7})(?:\.post(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const release = match[1]!.split('.').map(Number);
  return [
    ...release,
    ...Array<number>(RELEASE_PARTS - release.length).fill(0),
    match[2] === undefined ? -1 : Number(match[2]),
  ];
}

/** Final and post releases among `versions`, newest first. */
export function finalReleases(versions: readonly string[]): string[] {
  const known = versions.flatMap((version) => {
    const parts = finalParts(version);
    return parts === undefined ? [] : [{ version, parts }];
  });
  known.sort(
    (a, b) =>
      b.parts.map((part, at) => part - a.parts[at]!).find((difference) => difference !== 0) ?? 0,
  );
  return known.map(({ version }) => version);
}
