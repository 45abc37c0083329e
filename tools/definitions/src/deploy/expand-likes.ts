import type { AppSpec } from './app-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Required keys of an entry, its own or inherited. */
const WANTED = ['role', 'command', 'resources'];
/** Keys that are not inherited. */
const OWN = new Set(['after', 'replaces', 'precheck', 'maxAge', 'rotates']);

/**
 * Resolves `like` in jobs, actions and checks: an entry inherits the keys of the entry that it
 * names. Refuses unknown entries, entries that have `like` themselves, and missing keys.
 */
export function expandLikes(spec: AppSpec, found: SpecFindings): AppSpec {
  const expanded = (['jobs', 'actions', 'checks'] as const).flatMap((group) =>
    spec[group] === undefined
      ? []
      : [
          [
            group,
            expand(group, spec[group] as unknown as Readonly<Record<string, Entry>>, found),
          ] as const,
        ],
  );
  return { ...spec, ...Object.fromEntries(expanded) };
}

function expand(
  group: string,
  entries: Readonly<Record<string, Entry>>,
  { refuse, known }: SpecFindings,
): Record<string, Entry> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, { like, ...own }]): [string, Entry] => {
      const others = Object.keys(entries).filter(
        (other) => other !== name && entries[other]!['like'] === undefined,
      );
      if (typeof like === 'string')
        known([group, name, 'like'], `self-contained ${group.slice(0, -1)}`, like, others);
      const taken =
        typeof like === 'string' && others.includes(like)
          ? Object.entries(entries[like]!).filter(([key]) => !OWN.has(key))
          : [];
      const whole = { ...Object.fromEntries(taken), ...own };
      for (const key of WANTED)
        if (whole[key] === undefined && (like === undefined || taken.length > 0))
          refuse([group, name], `the key "${key}" is missing in ${group}.${name}`);
      return [name, whole];
    }),
  );
}
