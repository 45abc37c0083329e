import { CcpError, CcpErrors, formatPosition, normaliseProject, type Position } from '#core';
import { forSeries, type ImageDefinition, type SeriesDefinition, type SeriesItem } from '#definitions';
import { requirementName } from './python/constraints.ts';

/** Something that a definition or a series asks a resolver for, as the file says it, and where. */
export interface Asked {
  readonly text: string;
  /** The name that resolvers call it by. */
  readonly name: string;
  readonly at: Position;
}

/** Items of a list that hold for the series; `nameOf` gives the name that resolvers call an item by. */
export function askedItems(items: readonly SeriesItem[], series: SeriesDefinition, nameOf = (text: string): string => text): readonly Asked[] {
  return items.flatMap((item) =>
    item.at !== undefined && forSeries([item], series).length > 0 ? [{ text: item.value, name: nameOf(item.value), at: item.at }] : [],
  );
}

/** What an image asks of Python: its series' overrides and its own requirements, extras included. */
export function askedOfPython({ python, overlaid = [], positions }: ImageDefinition, series: SeriesDefinition): readonly Asked[] {
  if (python === undefined) return [];
  const overrides = series.overrides.flatMap(({ requirement, at }) =>
    at === undefined ? [] : [{ text: requirement, name: requirementName(requirement), at }],
  );
  const extras = python.extras.map((text) => ({
    text,
    name: `extra ${text}`,
    at: overlaid.find(({ key, value }) => key === 'python.extras' && value === text)?.at ?? positions.definition,
  }));
  return [...overrides, ...askedItems([...python.packages, ...python.tools], series, requirementName), ...extras];
}

/** What overlays ask of Go. */
export function askedOfGo({ overlaid = [] }: ImageDefinition): readonly Asked[] {
  return overlaid.filter(({ key }) => key.startsWith('go.')).map(({ value, at }) => ({ text: value, name: value.split('@')[0]!, at }));
}

/**
 * What a resolver raised, with the place of what it names of `asked`: best what stands in its words as it is asked for, else what they name first.
 * The hint tells of the others.
 */
export function placeFault(thrown: unknown, asked: readonly Asked[]): unknown {
  if (!(thrown instanceof CcpError) || thrown instanceof CcpErrors || thrown.at !== undefined) return thrown;
  const { code, message, hint, cause } = thrown;
  // The first line of several is ours, and names the image.
  const words = message.slice(message.indexOf('\n') + 1);
  const named = asked.flatMap((one) => {
    const whole = words.includes(one.text) && one.text !== one.name ? 0 : 1;
    const index = indexOfName(words, one.name);
    return index < 0 ? [] : [{ ...one, whole, index }];
  });
  const [first, ...more] = named.sort((a, b) => a.whole - b.whole || a.index - b.index);
  if (first === undefined) return thrown;
  const others = more.length === 0 ? '' : `; it also names ${more.map(({ text, at }) => `${text} (${formatPosition(at)})`).join(', ')}`;
  return new CcpError({ code, message, at: first.at, ...(hint === undefined ? {} : { hint: `${hint}${others}` }), ...(cause === undefined ? {} : { cause }) });
}

/** Where a text first names a package; -1 where it does not. */
function indexOfName(text: string, name: string): number {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.search(
    new RegExp(`(?<![A-Za-z0-9.+_/-])(?:${escaped}|${normaliseProject(name).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')})(?![A-Za-z0-9+_-])`, 'i'),
  );
}
