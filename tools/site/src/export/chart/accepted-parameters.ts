import type { SiteInput } from '../../model/types.ts';
import { findPlaces, type Place } from './find-places.ts';
import { overlaps } from './insert-tokens.ts';
import type { Parameter } from './parameter.ts';
import { TOKEN, tokenKey, type SymbolicObjects } from './symbols.ts';

export interface AcceptedParameter {
  readonly parameter: Parameter;
  readonly places: readonly Place[];
}

const MOST_PROBES = 3;

/**
 * The parameters that only replace text: the site is rendered with other values, and every
 * difference must be the value itself, in objects of the instance's own chart. Values that change
 * anything else, such as a list of members, can be changed in the site only.
 */
export function acceptParameters(
  parameters: readonly Parameter[],
  base: SymbolicObjects,
  chartOf: ReadonlyMap<string, string | undefined>,
  render: (input: SiteInput) => SymbolicObjects | undefined,
): readonly AcceptedParameter[] {
  const accepted: AcceptedParameter[] = [];
  const users = usersOf(base);
  for (const parameter of parameters) {
    const places = placesOf(parameter, base, render);
    if (places === undefined || places.length === 0) continue;
    const affected = withUsers(new Set(places.map(({ object }) => object)), users);
    const isOwn =
      parameter.instance === undefined ||
      [...affected].every((key) => chartOf.get(key) === parameter.instance);
    if (!isOwn || accepted.some((other) => overlaps(places, other.places))) continue;
    accepted.push({ parameter, places });
  }
  return accepted;
}

function placesOf(
  { value, probes }: Parameter,
  base: SymbolicObjects,
  render: (input: SiteInput) => SymbolicObjects | undefined,
): readonly Place[] | undefined {
  let rendered = 0;
  for (const probe of probes) {
    const other = render(probe.input);
    if (other === undefined) continue;
    const places = findPlaces(base.objects, other.objects, { base: value, other: probe.value });
    rendered += 1;
    if (places !== undefined || probe.isFinal === true || rendered === MOST_PROBES) return places;
  }
  return undefined;
}

/** Objects by the key of an object whose name or content they contain. */
function usersOf({ objects }: SymbolicObjects): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const [key, object] of objects)
    for (const [, , hex] of JSON.stringify(object).matchAll(TOKEN)) {
      const used = tokenKey(hex!);
      users.set(used, [...(users.get(used) ?? []), key]);
    }
  return users;
}

function withUsers(
  keys: ReadonlySet<string>,
  users: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const all = new Set(keys);
  for (const key of all) for (const user of users.get(key) ?? []) all.add(user);
  return all;
}
