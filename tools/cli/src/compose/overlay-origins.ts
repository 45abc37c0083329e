import { formatPosition } from '#core';
import type { ImageDefinition, OverlaidValue, SeriesDefinition } from '#definitions';
import { lockFileName } from '#locks';

/**
 * The origins of an image's values in an overlay workspace: its definition, its lock, values
 * changed by overlays, and replaced constraints. Empty in any other workspace.
 */
export function overlayOrigins(
  definition: ImageDefinition,
  series: SeriesDefinition,
): readonly OverlaidValue[] {
  if (definition.layers === undefined) return [];
  const overrides = definition.python === undefined ? [] : series.overrides;
  return [
    { key: 'definition', value: definition.name, at: definition.positions.definition },
    { key: 'lock', value: series.name, at: { file: lockFileName(definition, series.name) } },
    ...(definition.overlaid ?? []),
    ...overrides.flatMap(({ requirement, expires, at }) =>
      at === undefined ? [] : [{ key: 'overrides', value: `${requirement} until ${expires}`, at }],
    ),
  ];
}

/** The origins as a list under a heading; empty without origins. */
export function originLines(image: string, origins: readonly OverlaidValue[]): readonly string[] {
  if (origins.length === 0) return [];
  return [
    `${image} is defined by:`,
    ...origins.map(({ key, value, at }) => `  - ${key}: ${value} (${formatPosition(at)})`),
  ];
}
