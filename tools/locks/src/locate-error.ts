import { CcpError, CcpErrors, formatPosition, omitUndefined, type Position } from '#core';
import {
  forSeries,
  type ImageDefinition,
  type SeriesDefinition,
  type SeriesItem,
} from '#definitions';
import { normaliseProject } from '#formats';
import { requirementName } from './python/constraints.ts';

/**
 * An item that a definition or series requests from a resolver: its text and position in the file.
 */
export interface RequestedItem {
  readonly text: string;
  /** The item's name in the resolver's messages. */
  readonly name: string;
  readonly at: Position;
}

/**
 * The list's items that apply to the series; `nameOf` returns an item's name in the resolver's
 * messages.
 */
export function requestedItems(
  items: readonly SeriesItem[],
  series: SeriesDefinition,
  nameOf = (text: string): string => text,
): readonly RequestedItem[] {
  return items.flatMap((item) =>
    item.at !== undefined && forSeries([item], series).length > 0
      ? [{ text: item.value, name: nameOf(item.value), at: item.at }]
      : [],
  );
}

/** The Python items of an image: the series' overrides and its own requirements and extras. */
export function pythonItems(
  { python, overlaid = [], positions }: ImageDefinition,
  series: SeriesDefinition,
): readonly RequestedItem[] {
  if (python === undefined) return [];
  const overrides = series.overrides.flatMap(({ requirement, at }) =>
    at === undefined ? [] : [{ text: requirement, name: requirementName(requirement), at }],
  );
  const extras = python.extras.map((text) => ({
    text,
    name: `extra ${text}`,
    at:
      overlaid.find(({ key, value }) => key === 'python.extras' && value === text)?.at ??
      positions.definition,
  }));
  return [
    ...overrides,
    ...requestedItems([...python.packages, ...python.tools], series, requirementName),
    ...extras,
  ];
}

/** The Go items of an image's overlays. */
export function goItems({ overlaid = [] }: ImageDefinition): readonly RequestedItem[] {
  return overlaid
    .filter(({ key }) => key.startsWith('go.'))
    .map(({ value, at }) => ({ text: value, name: value.split('@')[0]!, at }));
}

/**
 * Adds the position of the requested item that a resolver's error names: preferably an item whose
 * full text is in the message, else the item named first. The hint lists the other named items.
 * Errors that name no item are returned unchanged.
 */
export function locateError(thrown: unknown, requested: readonly RequestedItem[]): unknown {
  if (!(thrown instanceof CcpError) || thrown instanceof CcpErrors || thrown.at !== undefined)
    return thrown;
  const { code, message, hint, cause } = thrown;
  // The first of several lines is written by ccp and names the image.
  const output = message.slice(message.indexOf('\n') + 1);
  const named = requested.flatMap((one) => {
    const whole = output.includes(one.text) && one.text !== one.name ? 0 : 1;
    const index = indexOfName(output, one.name);
    return index < 0 ? [] : [{ ...one, whole, index }];
  });
  const [first, ...more] = named.sort((a, b) => a.whole - b.whole || a.index - b.index);
  if (first === undefined) return thrown;
  const others =
    more.length === 0
      ? ''
      : `; it also names ${more.map(({ text, at }) => `${text} (${formatPosition(at)})`).join(', ')}`;
  return new CcpError({
    code,
    message,
    at: first.at,
    ...(hint === undefined ? {} : { hint: `${hint}${others}` }),
    ...omitUndefined({ cause }),
  });
}

/** Index of a package's name in a text; -1 if it does not occur. */
function indexOfName(text: string, name: string): number {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.search(
    new RegExp(
      `(?<![A-Za-z0-9.+_/-])(?:${escaped}|${normaliseProject(name).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')})(?![A-Za-z0-9+_-])`,
      'i',
    ),
  );
}
