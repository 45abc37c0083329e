import { isRecord, type Position } from '#core';
import type { ConfigSpec, ConfigValue, EachValue } from '#definitions';
import { yamlText } from '#formats';
import { isMet } from '../model/is-met.ts';
import { allValid, andThen, invalid, mapValid, valid, type Checked } from './checked.ts';
import { resolveList, resolveText, type Scope } from './facts.ts';
import { writeIni, writeProperties, type IniContent, type IniScalar } from './ini.ts';

type Content = { readonly [key: string]: ConfigValue | null };
type Plain = IniScalar | readonly Plain[] | { readonly [key: string]: Plain };

type Path = readonly (string | number)[];

/** A layer, and the position of each of its values. */
export interface PlacedLayer {
  readonly content: string | Content;
  position(path: Path): Position;
}

/**
 * The layers of a configuration file whose condition is met, lowest first. `position` is relative
 * to its own layers.
 */
export function configLayers(
  spec: ConfigSpec,
  scope: Scope,
  position: (path: Path) => Position,
  overrides: readonly PlacedLayer[] = [],
): PlacedLayer[] {
  const bound = (requirement: string): boolean => !scope.absent.has(`requires.${requirement}`);
  const own = spec.layers.flatMap(({ when, content }, index): PlacedLayer[] => {
    if (!isMet(when, bound)) return [];
    return [{ content, position: (path) => position([index, 'content', ...path]) }];
  });
  return [...own, ...overrides];
}

/**
 * The text of a configuration file. Findings, each at its value or layer: `reference-unknown`,
 * `config-unsafe`, `config-shape` (a layer that does not fit the format) and `secret-in-config`
 * (everyone may read ConfigMaps).
 */
export function bindConfigFile(
  format: ConfigSpec['format'],
  layers: readonly PlacedLayer[],
  scope: Scope,
): Checked<string> {
  const last = layers.at(-1);
  if (last === undefined) return valid('');
  const at = last.position([]);
  if (format === 'text')
    return typeof last.content === 'string' ? valid(last.content) : misshaped('text', at);
  return andThen(mergedLayers(layers, scope), (merged) => textOf(format, merged, at));
}

function textOf(
  format: Exclude<ConfigSpec['format'], 'text'>,
  merged: Readonly<Record<string, Plain>>,
  at: Position,
): Checked<string> {
  switch (format) {
    case 'yaml':
      return valid(yamlText(merged));
    case 'properties':
      return andThen(numbered(merged, at), (content) => writeProperties(content, at));
    case 'ini':
      return andThen(sectionsOf(merged, at), (content) => writeIni(content, at));
  }
}

function mergedLayers(
  layers: readonly PlacedLayer[],
  scope: Scope,
): Checked<Readonly<Record<string, Plain>>> {
  const resolved = layers.map(({ content, position }) =>
    typeof content === 'string'
      ? misshaped('a map', position([]))
      : resolveContent(content, scope, [], position),
  );
  return mapValid(allValid(resolved), (list) =>
    list.reduce<Record<string, Plain>>((below, layer) => overlay(below, layer), {}),
  );
}

/** A layer with its references resolved; `null` removes a value of the layers below. */
interface Resolved {
  readonly [key: string]: Plain | Resolved | null;
}

/** Puts a layer over the values below it. */
function overlay(below: Readonly<Record<string, Plain>>, layer: Resolved): Record<string, Plain> {
  const result: Record<string, Plain> = { ...below };
  for (const [key, value] of Object.entries(layer)) {
    const under = below[key];
    if (value === null) delete result[key];
    else if (isRecord(value)) result[key] = overlay(isRecord(under) ? under : {}, value);
    else result[key] = value;
  }
  return result;
}

/** Resolves a layer. Values that refer to an optional requirement that is not met are left out. */
function resolveContent(
  content: Content,
  scope: Scope,
  path: Path,
  position: PlacedLayer['position'],
): Checked<Resolved> {
  const entries = Object.entries(content).map(([key, value]) => {
    const resolved: Checked<Resolved[string] | undefined> =
      value === null ? valid(null) : resolveValue(value, scope, [...path, key], position);
    return mapValid(resolved, (plain) => (plain === undefined ? [] : [[key, plain] as const]));
  });
  return mapValid(allValid(entries), (list) => Object.fromEntries(list.flat()));
}

function resolveValue(
  value: ConfigValue,
  scope: Scope,
  path: Path,
  position: PlacedLayer['position'],
): Checked<Plain | Resolved | undefined> {
  const at = (): Position => position(path);
  if (typeof value === 'string') return plainText(value, scope, at);
  if (typeof value !== 'object') return valid(value);
  if (isEach(value)) return resolveEach(value, scope, at);
  if (!Array.isArray(value)) return resolveContent(value as Content, scope, path, position);
  const items = value.map((item: ConfigValue, index) =>
    resolveValue(item, scope, [...path, index], position),
  );
  return mapValid(allValid(items), (list) =>
    list.flatMap((item): Plain | readonly Plain[] =>
      isRecord(item) ? overlay({}, item as Resolved) : ((item ?? []) as Plain | readonly Plain[]),
    ),
  );
}

function resolveEach(
  { each, value }: EachValue,
  scope: Scope,
  at: () => Position,
): Checked<readonly Plain[] | undefined> {
  return andThen(resolveList(each, scope, at), (list): Checked<readonly Plain[] | undefined> => {
    if (list === undefined) return valid(undefined);
    const texts = list.map((item) => {
      const facts = new Map(scope.facts).set('item', [{ text: item }]);
      return plainText(value, { ...scope, facts }, at);
    });
    return mapValid(allValid(texts), (found) => found.flatMap((text) => text ?? []));
  });
}

function plainText(value: string, scope: Scope, at: () => Position): Checked<string | undefined> {
  return andThen(resolveText(value, scope, at), (parts): Checked<string | undefined> => {
    const other = parts?.find((part) => !('text' in part));
    if (other === undefined)
      return valid(parts?.map((part) => ('text' in part ? part.text : '')).join(''));
    const what = 'secret' in other ? `the secret "${other.secret.name}"` : 'a field of the pod';
    return invalid({
      code: 'secret-in-config',
      message: `${JSON.stringify(value)} would put ${what} into a configuration file: every pod shares it, and it is not secret`,
      hint: 'use an environment variable: oslo.config reads OS_<GROUP>__<OPTION>',
      at: at(),
    });
  });
}

function sectionsOf(merged: Readonly<Record<string, Plain>>, at: Position): Checked<IniContent> {
  const sections = Object.entries(merged).map(([section, options]) =>
    isRecord(options)
      ? mapValid(scalarsOf(options, at), (found) => [section, found] as const)
      : misshaped('sections of options', at),
  );
  return mapValid(allValid(sections), Object.fromEntries);
}

function scalarsOf(
  options: Readonly<Record<string, Plain>>,
  at: Position,
): Checked<Readonly<Record<string, IniScalar>>> {
  const scalars = Object.entries(options).map(([option, value]) =>
    mapValid(joined(value, at), (scalar) => [option, scalar] as const),
  );
  return mapValid(allValid(scalars), Object.fromEntries);
}

function numbered(
  content: Readonly<Record<string, Plain>>,
  at: Position,
): Checked<Record<string, IniScalar>> {
  const flat = Object.entries(content).map(
    ([key, value]): Checked<readonly (readonly [string, IniScalar])[]> => {
      if (isRecord(value)) return misshaped('a flat map', at);
      if (!Array.isArray(value)) return valid([[key, value as IniScalar]]);
      return allValid(
        value.map((item: Plain, index) =>
          mapValid(joined(item, at), (scalar) => [`${key}.${index + 1}`, scalar] as const),
        ),
      );
    },
  );
  return mapValid(allValid(flat), (list) => Object.fromEntries(list.flat()));
}

function joined(value: Plain, at: Position): Checked<IniScalar> {
  if (typeof value !== 'object') return valid(value);
  if (isRecord(value)) return misshaped('plain values or lists of them', at);
  return mapValid(allValid(value.map((item) => joined(item, at))), (list) => list.join(','));
}

function isEach(value: ConfigValue): value is EachValue {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).sort().join() === 'each,value'
  );
}

function misshaped(wanted: string, at: Position): Checked<never> {
  return invalid({
    code: 'config-shape',
    message: `the layer has the wrong format: expected ${wanted}`,
    at,
  });
}
