import type { Finding } from './types.ts';

/** A vulnerability that one of two reports has. */
export interface CveChange {
  readonly cve: string;
  readonly kind: string;
  readonly package: string;
  readonly versions: readonly string[];
  readonly images: readonly string[];
}

/** The difference between the open vulnerabilities of two image sets. */
export interface CveDifference {
  readonly closed: readonly CveChange[];
  readonly opened: readonly CveChange[];
}

/** Compares the open findings of two sets, by vulnerability and package. */
export function diffFindings(before: readonly Finding[], after: readonly Finding[]): CveDifference {
  const [old, now] = [openBy(before), openBy(after)];
  const only = (
    these: ReadonlyMap<string, CveChange>,
    others: ReadonlyMap<string, CveChange>,
  ): readonly CveChange[] => [...these].flatMap(([key, each]) => (others.has(key) ? [] : [each]));
  return { closed: only(old, now), opened: only(now, old) };
}

/** True for a vulnerability that images have, or may have. */
function isOpen({ state }: Pick<Finding, 'state'>): boolean {
  return state !== 'not-affected';
}

function openBy(findings: readonly Finding[]): ReadonlyMap<string, CveChange> {
  const found = new Map<string, CveChange>();
  for (const { cve, kind, package: name, version, images, ...rest } of findings) {
    if (!isOpen(rest)) continue;
    const key = `${cve} ${kind} ${name}`;
    const { versions = [], images: known = [] } = found.get(key) ?? {};
    found.set(key, {
      cve,
      kind,
      package: name,
      versions: [...new Set([...versions, version])].sort(),
      images: [...new Set([...known, ...images.map(({ image }) => image)])].sort(),
    });
  }
  return found;
}
