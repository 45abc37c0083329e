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
  const groups: { readonly names: Set<string>; readonly verdicts: NamedVerdict[] }[] = [];
  for (const verdict of verdicts) {
    const names = new Set([verdict.id, ...verdict.aliases]);
    const joined = { names, verdicts: [verdict] };
    for (let index = groups.length - 1; index >= 0; index--) {
      const group = groups[index]!;
      if (![...group.names].some((name) => names.has(name))) continue;
      for (const name of group.names) names.add(name);
      joined.verdicts.unshift(...group.verdicts);
      groups.splice(index, 1);
    }
    groups.push(joined);
  }
  return groups.map(({ names, verdicts: same }) => {
    const sorted = [...names].sort();
    const cve = sorted.find((name) => /^CVE-\d{4}-\d{4,}$/.test(name)) ?? same[0]!.id;
    return { cve, aliases: sorted.filter((name) => name !== cve), ...strongest(same, order) };
  });
}

function strongest(verdicts: readonly Verdict[], order: (a: string, b: string) => number): Verdict {
  const fixes = verdicts.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed])).sort(order);
  const fixed = fixes.at(-1);
  if (fixed !== undefined) return { state: 'fixable', fixed };
  const { state, why } = verdicts.find((each) => each.state === 'no-fix') ?? verdicts[0]!;
  return { state, ...(why === undefined ? {} : { why }) };
}
