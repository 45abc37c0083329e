import type { Verdict } from '../types.ts';

/** A verdict under one name of a vulnerability. */
export interface NamedVerdict extends Verdict {
  readonly id: string;
  readonly aliases: readonly string[];
}

/** A vulnerability with all its names. */
export interface MergedVerdict extends Verdict {
  readonly cve: string;
  readonly aliases: readonly string[];
}

/**
 * Joins the verdicts of records about one vulnerability of a package: those that share a name. A
 * record that says "affected" wins; of several fixed versions the last one of `order` counts.
 */
export function mergeAliases(
  verdicts: readonly NamedVerdict[],
  order: (a: string, b: string) => number,
): readonly MergedVerdict[] {
  const groups = groupsByName(verdicts);
  return groups.map((same) => {
    const names = new Set(same.flatMap(({ id, aliases }) => [id, ...aliases]));
    const sorted = [...names].sort();
    const cve = sorted.find((name) => /^CVE-\d{4}-\d{4,}$/.test(name)) ?? same[0]!.id;
    return { cve, aliases: sorted.filter((name) => name !== cve), ...strongest(same, order) };
  });
}

/**
 * Groups verdicts that share a name, directly or through others. Follows names instead of comparing
 * groups, since a file of data can have many records about a package.
 */
function groupsByName(verdicts: readonly NamedVerdict[]): readonly (readonly NamedVerdict[])[] {
  const byName = new Map<string, number[]>();
  verdicts.forEach(({ id, aliases }, index) => {
    for (const name of [id, ...aliases]) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [index]);
      else known.push(index);
    }
  });
  const seen = new Set<number>();
  return verdicts.flatMap((_, first) => {
    if (seen.has(first)) return [];
    const found = [first];
    seen.add(first);
    for (const index of found) {
      const { id, aliases } = verdicts[index]!;
      for (const name of [id, ...aliases]) {
        for (const other of byName.get(name) ?? [])
          if (!seen.has(other)) {
            seen.add(other);
            found.push(other);
          }
        byName.delete(name);
      }
    }
    return [found.sort((a, b) => a - b).map((index) => verdicts[index]!)];
  });
}

function strongest(verdicts: readonly Verdict[], order: (a: string, b: string) => number): Verdict {
  const fixes = verdicts.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed])).sort(order);
  const fixed = fixes.at(-1);
  if (fixed !== undefined) return { state: 'fixable', fixed };
  const { state, why } = verdicts.find((each) => each.state === 'no-fix') ?? verdicts[0]!;
  return { state, ...(why === undefined ? {} : { why }) };
}
