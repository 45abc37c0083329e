import type { KubernetesObject } from '#ports';
import type { Place } from './find-places.ts';
import { tokenOf } from './symbols.ts';

/** A place, and the key of the value that is there. */
export interface TokenPlace extends Place {
  readonly key: string;
}

/** Copies of objects with a token at each place. */
export function insertTokens(
  objects: ReadonlyMap<string, KubernetesObject>,
  places: readonly TokenPlace[],
): ReadonlyMap<string, KubernetesObject> {
  const ofObject = Map.groupBy(places, ({ object }) => object);
  return new Map(
    [...objects].map(([key, object]) => [
      key,
      withTokens(object, ofObject.get(key) ?? []) as KubernetesObject,
    ]),
  );
}

function withTokens(object: KubernetesObject, places: readonly TokenPlace[]): unknown {
  const byPath = Map.groupBy(places, ({ path }) => path.join('\0'));
  const visit = (path: string, value: unknown): unknown => {
    const here = byPath.get(path);
    if (here !== undefined) return tokens(value as string | number | boolean, here);
    if (typeof value !== 'object' || value === null) return value;
    const child = (key: string | number): string => (path === '' ? `${key}` : `${path}\0${key}`);
    if (Array.isArray(value)) return value.map((item, index) => visit(child(index), item));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, visit(child(key), member)]),
    );
  };
  return visit('', object);
}

function tokens(value: string | number | boolean, places: readonly TokenPlace[]): string {
  if (typeof value !== 'string') return tokenOf('I', places[0]!.key);
  const spans = places
    .map(({ span = [0, value.length] as const, key }) => ({ span, key }))
    .sort((a, b) => b.span[0] - a.span[0]);
  const [first] = spans;
  if (spans.length === 1 && first!.span[0] === 0 && first!.span[1] === value.length)
    return tokenOf('Q', first!.key);
  return spans.reduce(
    (text, { span: [start, end], key }) =>
      `${text.slice(0, start)}${tokenOf('V', key)}${text.slice(end)}`,
    value,
  );
}

/** Whether two lists of places share a character or a member. */
export function overlaps(some: readonly Place[], others: readonly Place[]): boolean {
  const id = ({ object, path }: Place): string => [object, ...path].join('\0');
  const known = Map.groupBy(others, id);
  return some.some((place) =>
    (known.get(id(place)) ?? []).some(
      ({ span }) =>
        span === undefined ||
        place.span === undefined ||
        (span[0] < place.span[1] && place.span[0] < span[1]),
    ),
  );
}
