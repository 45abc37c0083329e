import type { AppSpec } from './app-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

type Entry = Readonly<Record<string, unknown>>;

/** What an entry has in the end, of itself or of the one that it is like. */
const WANTED = ['role', 'command', 'resources'];
/** What is each one's own. */
const OWN = new Set(['after']);

/**
 * An app spec whose jobs, actions and checks have what they do not say of the one that `like` names. Refuses one that is not there, one
 * that is like another itself, and entries that lack something in the end.
 */
export function expandLikes(spec: AppSpec, found: SpecFindings): AppSpec {
  const expanded = (['jobs', 'actions', 'checks'] as const).flatMap((group) =>
    spec[group] === undefined ? [] : [[group, expand(group, spec[group] as unknown as Readonly<Record<string, Entry>>, found)] as const],
  );
  return { ...spec, ...Object.fromEntries(expanded) };
}

function expand(group: string, entries: Readonly<Record<string, Entry>>, { refuse, known }: SpecFindings): Record<string, Entry> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, { like, ...own }]): [string, Entry] => {
      const others = Object.keys(entries).filter((other) => other !== name && entries[other]!['like'] === undefined);
      if (typeof like === 'string') known([group, name, 'like'], `self-contained ${group.slice(0, -1)}`, like, others);
      const taken = typeof like === 'string' && others.includes(like) ? Object.entries(entries[like]!).filter(([key]) => !OWN.has(key)) : [];
      const whole = { ...Object.fromEntries(taken), ...own };
      for (const key of WANTED)
        if (whole[key] === undefined && (like === undefined || taken.length > 0)) refuse([group, name], `the key "${key}" is missing in ${group}.${name}`);
      return [name, whole];
    }),
  );
}
