import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** A Go toolchain's version, like `1.26rc1`, and other short versions as semver. */
function normalised(version: string): string {
  const [, major, minor = '0', patch = '0', rest = ''] =
    /^v?(?:go)?(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)$/.exec(version) ?? [];
  if (major === undefined) return version;
  const label = /^(rc|beta)(\d+)$/.exec(rest);
  return `${major}.${minor}.${patch}${label === null ? rest : `-${label[1]}.${label[2]}`}`;
}

/** Compares two versions by semver, as Go and npm do; undefined if one is not a version. */
export function compareSemver(a: string, b: string): number | undefined {
  // Loaded on first use: few commands compare versions, and the entrypoint image lacks the package.
  const { compare, parse } = load('semver') as typeof import('semver');
  const [left, right] = [parse(normalised(a)), parse(normalised(b))];
  return left === null || right === null ? undefined : compare(left, right);
}
