/** PEP 440, appendix B, without the parts that no index accepts. */
const VERSION =
  /^v?(?:(\d{1,9})!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

const PHASES: Readonly<Record<string, number>> = {
  a: 1,
  alpha: 1,
  b: 2,
  beta: 2,
  c: 3,
  rc: 3,
  pre: 3,
  preview: 3,
};
const MAX_LENGTH = 200;

/** Numbers to compare: epoch, release, phase, and numbers of phase, post and dev releases. */
interface Parts {
  readonly epoch: number;
  readonly release: readonly number[];
  readonly rest: readonly number[];
  readonly local: readonly string[];
}

function partsOf(text: string): Parts | undefined {
  const match = text.length > MAX_LENGTH ? null : VERSION.exec(text.trim().toLowerCase());
  if (match === null) return undefined;
  const [, epoch, release = '', phase, number, implicit, post, postNumber, dev, devNumber, local] =
    match;
  const isPost = implicit !== undefined || post !== undefined;
  const isDev = dev !== undefined;
  return {
    epoch: Number(epoch ?? 0),
    release: release.split('.').map(Number),
    rest: [
      // A development release without another phase comes before all phases, a final one after.
      phase === undefined ? (isDev && !isPost ? 0 : 4) : PHASES[phase]!,
      Number(number ?? 0),
      isPost ? Number(implicit ?? postNumber ?? 0) + 1 : 0,
      isDev ? Number(devNumber ?? 0) : Infinity,
    ],
    local: local?.split(/[-_.]/) ?? [],
  };
}

/** True for a version by PEP 440. */
export function isPythonVersion(text: string): boolean {
  return partsOf(text) !== undefined;
}

/** Compares two versions by PEP 440; undefined if one is not a version. */
export function comparePython(a: string, b: string): number | undefined {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left === undefined || right === undefined) return undefined;
  return (
    left.epoch - right.epoch ||
    compareNumbers(left.release, right.release) ||
    compareNumbers(left.rest, right.rest) ||
    compareLocal(left.local, right.local)
  );
}

/** Missing numbers are zeros. */
function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index] ?? 0, b[index] ?? 0];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Numbers are newer than words, and a longer version is newer than its start. */
function compareLocal(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]];
    if (left === right) continue;
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const [p, q] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (p && q && Number(left) === Number(right)) continue;
    if (p && q) return Number(left) - Number(right);
    return p === q ? (left < right ? -1 : 1) : p ? 1 : -1;
  }
  return 0;
}
