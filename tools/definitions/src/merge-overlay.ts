import { canonicalJson, CcpError, meantOrKnown, type Json } from '#core';
import type { ImageFile } from './image-file.ts';
import type { ParsedYaml } from './parse-yaml.ts';
import type { OverlaidValue } from './types.ts';
import type { YamlPath } from './yaml-node.ts';

/** An image's file with what overlays changed; positions point into the file that says a value. */
export interface MergedImage extends ParsedYaml<ImageFile> {
  readonly overlaid: readonly OverlaidValue[];
}

/** A value of an overlay: the file that says it, and where. */
interface Origin {
  readonly overlay: ParsedYaml<Json>;
  readonly path: YamlPath;
}

type JsonMap = { readonly [key: string]: Json | undefined };

/**
 * `base` changed by overlays, in order: lists are added to, maps are merged by key, single values and versions of Go modules
 * replace. Raises `overlay-invalid` with all findings: a stage, a source or a use of Python or Go that the base does not have, and
 * what it has already.
 */
export function mergeOverlays(
  base: ParsedYaml<ImageFile>,
  overlays: readonly ParsedYaml<Json>[],
): { readonly merged: MergedImage; readonly findings: readonly CcpError[] } {
  const origins = new Map<string, Origin>();
  const overlaid: OverlaidValue[] = [];
  const findings: CcpError[] = [];
  let value = base.value as unknown as Json;
  for (const overlay of overlays) {
    findings.push(...checkOverlay(value as unknown as ImageFile, overlay));
    const take = (path: YamlPath, from: YamlPath, taken: Json): Json => {
      origins.set(JSON.stringify(path), { overlay, path: from });
      overlaid.push({ key: keyOf(path), value: textOf(taken), at: overlay.position(from) });
      return taken;
    };
    const repeats = (from: YamlPath, repeated: Json): void => {
      findings.push(
        new CcpError({
          code: 'overlay-invalid',
          message: `${keyOf(from)} of the base has ${textOf(repeated)} already`,
          hint: 'leave it out',
          at: overlay.position(from),
        }),
      );
    };
    value = mergeValue(value, overlay.value, [], [], { take, repeats });
  }
  const position: MergedImage['position'] = (path) => {
    for (let length = path.length; length > 0; length--) {
      const origin = origins.get(JSON.stringify(path.slice(0, length)));
      if (origin !== undefined) return origin.overlay.position([...origin.path, ...path.slice(length)]);
    }
    return base.position(path);
  };
  return { merged: { value: value as unknown as ImageFile, position, overlaid }, findings };
}

interface Merging {
  /** Gives the value that an overlay says, and hears where it is said. */
  readonly take: (path: YamlPath, from: YamlPath, value: Json) => Json;
  /** Hears of an item that the list has already. */
  readonly repeats: (from: YamlPath, value: Json) => void;
}

/** `path` and `from` lead to the value in the result and in the overlay. */
function mergeValue(into: Json, value: Json, path: YamlPath, from: YamlPath, merging: Merging): Json {
  const { take, repeats } = merging;
  if (isList(into) && isList(value)) {
    const known = new Set(into.map(canonicalJson));
    const items = [...into];
    for (const [index, item] of value.entries()) {
      if (known.has(canonicalJson(item))) repeats([...from, index], item);
      const replaced = into.findIndex((other) => isOtherVersion(path, item, other));
      const at = replaced < 0 ? items.length : replaced;
      items[at] = take([...path, at], [...from, index], item);
    }
    return items;
  }
  if (!isMap(into) || !isMap(value)) return take(path, from, value);
  const merged: Record<string, Json | undefined> = { ...into };
  for (const [key, member] of Object.entries(value)) {
    const inner = [...path, key];
    const outer = [...from, key];
    const known = Object.hasOwn(into, key) ? into[key] : undefined;
    if (known !== undefined) merged[key] = mergeValue(known, member!, inner, outer, merging);
    else if (isMap(member!)) merged[key] = mergeValue({}, member, inner, outer, merging);
    else if (isList(member!)) merged[key] = mergeValue([], member, inner, outer, merging);
    else merged[key] = take(inner, outer, member!);
  }
  return merged;
}

/** Whether both are one Go module, of which an image takes one version. */
function isOtherVersion(path: YamlPath, item: Json, other: Json): boolean {
  const [module, known] = [item, other].map((value) => String(value).split('@')[0]);
  return keyOf(path) === 'go.modules' && module === known;
}

/** What an overlay changes although the base does not have it. */
function* checkOverlay({ sources = {}, debian = {}, python, go, series }: ImageFile, { value, position }: ParsedYaml<Json>): Iterable<CcpError> {
  const file = value as { readonly sources?: object; readonly debian?: object; readonly python?: object; readonly go?: object; readonly series?: object };
  const finding = (path: YamlPath, message: string, hint: string): CcpError => new CcpError({ code: 'overlay-invalid', message, hint, at: position(path) });
  for (const key of Object.keys(file.sources ?? {})) {
    if (!Object.hasOwn(sources, key))
      yield finding(['sources', key], `the image has no source "${key}"`, meantOrKnown(key, Object.keys(sources), 'it has none'));
  }
  for (const stage of Object.keys(file.debian ?? {})) {
    if (!Object.hasOwn(debian, stage))
      yield finding(['debian', stage], `the image has no Debian stage "${stage}"`, meantOrKnown(stage, Object.keys(debian), 'its template installs none'));
  }
  if (file.python !== undefined && python === undefined) {
    yield finding(['python'], 'the image takes no Python files', 'make an image of your own, with this one as its base');
  }
  if (file.go !== undefined && go === undefined) {
    yield finding(['go'], 'the image is made of no Go programs', 'make an image of your own, with this one as its base');
  }
  if (file.series !== undefined && series === undefined) yield finding(['series'], 'the image exists in every series already', 'leave it out');
}

function keyOf(path: YamlPath): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

/** A value as people name it: an item of a series by its value, a test by its name. */
function textOf(value: Json): string {
  if (!isMap(value)) return typeof value === 'string' ? value : canonicalJson(value);
  const { value: item, series, name } = value;
  if (typeof item === 'string' && isList(series ?? null)) return `${item} (${(series as readonly Json[]).join(', ')})`;
  return typeof name === 'string' ? name : canonicalJson(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isMap(value: Json): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
