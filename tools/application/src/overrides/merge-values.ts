import { isRecord } from '#core';
import type { ChartValues, Overrides } from '../record/record.ts';

/**
 * Values with another layer on top, by Helm's rules: mappings are merged, other values are
 * replaced, and null removes a key of the layer below. `nodes` of the top layer come first, since a
 * node uses the first group that it is in.
 */
export function mergeValues(below: ChartValues, above: ChartValues): ChartValues {
  // In a map, the key `__proto__` is a key like others; the site refuses it then.
  const merged = new Map<string, unknown>(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const under = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isRecord(value) && isRecord(under))
      merged.set(
        key,
        key === 'nodes'
          ? { ...ordered(value, under), ...mergeValues(under, value) }
          : mergeValues(under, value),
      );
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** The keys of the top layer first; their values are set afterwards. */
function ordered(above: ChartValues, below: ChartValues): ChartValues {
  return Object.fromEntries([...Object.keys(above), ...Object.keys(below)].map((key) => [key, {}]));
}

/** Overrides of all charts with another layer on top. */
export function mergeOverrides(below: Overrides, above: Overrides): Overrides {
  const charts = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    charts.map((chart) => [chart, mergeValues(below[chart] ?? {}, above[chart] ?? {})]),
  );
}

/** The values of a layer by path, like `settings.processes`. */
export function valuePaths(values: ChartValues, before = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(values).flatMap(([key, value]): (readonly [string, unknown])[] => {
      const path = before === '' ? key : `${before}.${key}`;
      return isRecord(value) && Object.keys(value).length > 0
        ? [...valuePaths(value, path)]
        : [[path, value]];
    }),
  );
}
