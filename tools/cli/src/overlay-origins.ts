import { formatPosition } from '#core';
import type { ImageDefinition, OverlaidValue, SeriesDefinition } from '#definitions';
import { lockFileName } from '#locks';

/**
 * Where the values of an image come from in a workspace that overlays another: its definition, the lock that is read, what
 * overlays changed, and the replaced constraints that hold for it. Empty in any other workspace.
 */
export function overlayOrigins(definition: ImageDefinition, series: SeriesDefinition): readonly OverlaidValue[] {
  if (definition.layers === undefined) return [];
  const overrides = definition.python === undefined ? [] : series.overrides;
  return [
    { key: 'definition', value: definition.name, at: definition.positions.definition },
    { key: 'lock', value: series.name, at: { file: lockFileName(definition, series.name) } },
    ...(definition.overlaid ?? []),
    ...overrides.flatMap(({ requirement, expires, at }) => (at === undefined ? [] : [{ key: 'overrides', value: `${requirement} until ${expires}`, at }])),
  ];
}

/** The origins as a list under a heading, for people; no line where there are none. */
export function originLines(image: string, origins: readonly OverlaidValue[]): readonly string[] {
  if (origins.length === 0) return [];
  return [`${image} is made of:`, ...origins.map(({ key, value, at }) => `  - ${key}: ${value} (${formatPosition(at)})`)];
}
