/**
 * Target of wheel selection: `python` such as `3.13`, `glibc` the minor version of the C library.
 * x86-64 only.
 */
export interface WheelTarget {
  readonly python: string;
  readonly glibc: number;
}

/** Older names of manylinux platforms (PEP 600). */
const LEGACY: Readonly<Record<number, string>> = {
  17: 'manylinux2014',
  12: 'manylinux2010',
  5: 'manylinux1',
};

/** Supported tags, best first, in the order that installers use (PEP 425). */
function supportedTags({ python, glibc }: WheelTarget): string[] {
  const minor = Number(python.split('.')[1]);
  const platforms: string[] = [];
  for (let version = glibc; version >= 5; version--) {
    platforms.push(`manylinux_2_${version}_x86_64`);
    const legacy = LEGACY[version];
    if (legacy !== undefined) platforms.push(`${legacy}_x86_64`);
  }
  platforms.push('linux_x86_64');
  const current = `cp3${minor}`;
  const older = Array.from({ length: minor - 1 }, (_, index) => minor - 1 - index);
  const generic = [`py3${minor}`, 'py3', ...older.map((version) => `py3${version}`), 'py30'];
  const on = (interpreter: string, abi: string): string[] =>
    platforms.map((platform) => `${interpreter}-${abi}-${platform}`);
  return [
    ...on(current, current),
    ...on(current, 'abi3'),
    ...on(current, 'none'),
    ...older.flatMap((version) => on(`cp3${version}`, 'abi3')),
    ...generic.flatMap((interpreter) => on(interpreter, 'none')),
    `${current}-none-any`,
    ...generic.map((interpreter) => `${interpreter}-none-any`),
  ];
}

/** Parses a wheel's file name (PEP 427); `undefined` for other names. */
export function parseWheelName(file: string):
  | {
      readonly name: string;
      readonly version: string;
      readonly build: string;
      readonly tags: readonly string[];
    }
  | undefined {
  const match = /^([^-]+)-([^-]+)(?:-(\d[^-]*))?-([^-]+)-([^-]+)-([^-]+)\.whl$/.exec(file);
  if (match === null) return undefined;
  const [, name = '', version = '', build = '', pythons = '', abis = '', platforms = ''] = match;
  const tags = pythons
    .split('.')
    .flatMap((python) =>
      abis
        .split('.')
        .flatMap((abi) => platforms.split('.').map((platform) => `${python}-${abi}-${platform}`)),
    );
  return { name, version, build, tags };
}

/**
 * Selects the wheel that an installer on the target would use; `undefined` if none is compatible.
 */
export function wheelChooser(
  target: WheelTarget,
): <T extends { readonly file: string }>(wheels: readonly T[]) => T | undefined {
  const ranks = new Map(supportedTags(target).map((tag, rank) => [tag, rank]));
  return (wheels) => {
    const fitting = wheels.flatMap((wheel) => {
      const name = parseWheelName(wheel.file);
      const rank = Math.min(...(name?.tags ?? []).map((tag) => ranks.get(tag) ?? Infinity));
      return name === undefined || rank === Infinity
        ? []
        : [{ wheel, rank, build: Number.parseInt(name.build, 10) || 0 }];
    });
    fitting.sort(
      (a, b) => a.rank - b.rank || b.build - a.build || (a.wheel.file < b.wheel.file ? -1 : 1),
    );
    return fitting[0]?.wheel;
  };
}
