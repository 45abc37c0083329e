import { canonicalJson, CcpError, isRecord, type Json, suggestName } from '#core';
import type { ImageFile } from './image-file.ts';
import type { ParsedYaml } from './parse-yaml.ts';
import type { OverlaidValue } from './types.ts';
import type { YamlPath } from './yaml-node.ts';

/** An image file merged with its overlays; positions point into the file that sets a value. */
export interface MergedImage extends ParsedYaml<ImageFile> {
  readonly overlaid: readonly OverlaidValue[];
}

/** The overlay file that sets a value, and the value's path in it. */
interface Origin {
  readonly overlay: ParsedYaml<Json>;
  readonly path: YamlPath;
}

/**
 * Applies overlays to `base` in order: lists are appended, maps are merged by key, single values
 * and Go module versions are replaced. Findings (`overlay-invalid`): stages, sources, Python or Go
 * that the base does not have, and values that it already has.
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
          message: `${keyOf(from)} of the base already contains ${textOf(repeated)}`,
          hint: 'remove the entry from the overlay',
          at: overlay.position(from),
        }),
      );
    };
    value = mergeValue(value, overlay.value, [], [], { take, repeats });
  }
  const position: MergedImage['position'] = (path) => {
    for (let length = path.length; length > 0; length--) {
      const origin = origins.get(JSON.stringify(path.slice(0, length)));
      if (origin !== undefined)
        return origin.overlay.position([...origin.path, ...path.slice(length)]);
    }
    return base.position(path);
  };
  return { merged: { value: value as unknown as ImageFile, position, overlaid }, findings };
}

interface Merging {
  /** Returns the overlay's value and records its place. */
  readonly take: (path: YamlPath, from: YamlPath, value: Json) => Json;
  /** Called for an item that the list already contains. */
  readonly repeats: (from: YamlPath, value: Json) => void;
}

/** `path` is the value's path in the result, `from` its path in the overlay. */
function mergeValue(
  into: Json,
  value: Json,
  path: YamlPath,
  from: YamlPath,
  merging: Merging,
): Json {
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
  if (!isRecord(into) || !isRecord(value)) return take(path, from, value);
  const merged: Record<string, Json | undefined> = { ...into };
  for (const [key, member] of Object.entries(value)) {
    const inner = [...path, key];
    const outer = [...from, key];
    const known = Object.hasOwn(into, key) ? into[key] : undefined;
    if (known !== undefined) merged[key] = mergeValue(known, member!, inner, outer, merging);
    else if (isRecord(member!)) merged[key] = mergeValue({}, member, inner, outer, merging);
    else if (isList(member!)) merged[key] = mergeValue([], member, inner, outer, merging);
    else merged[key] = take(inner, outer, member!);
  }
  return merged;
}

/** True if both are versions of one Go module; an image has only one version. */
function isOtherVersion(path: YamlPath, item: Json, other: Json): boolean {
  if (keyOf(path) !== 'go.modules' || typeof item !== 'string' || typeof other !== 'string')
    return false;
  return item.split('@')[0] === other.split('@')[0];
}

/** Findings for changes to parts that the base does not have. */
function* checkOverlay(
  { sources = {}, debian = {}, python, go, series }: ImageFile,
  { value, position }: ParsedYaml<Json>,
): Iterable<CcpError> {
  const file = value as {
    readonly sources?: object;
    readonly debian?: object;
    readonly python?: object;
    readonly go?: object;
    readonly series?: object;
  };
  const finding = (path: YamlPath, message: string, hint: string): CcpError =>
    new CcpError({ code: 'overlay-invalid', message, hint, at: position(path) });
  for (const key of Object.keys(file.sources ?? {})) {
    if (!Object.hasOwn(sources, key))
      yield finding(
        ['sources', key],
        `the image has no source "${key}"`,
        suggestName(key, Object.keys(sources), 'the image has no sources'),
      );
  }
  for (const stage of Object.keys(file.debian ?? {})) {
    if (!Object.hasOwn(debian, stage))
      yield finding(
        ['debian', stage],
        `the image has no Debian stage "${stage}"`,
        suggestName(stage, Object.keys(debian), 'the image has no Debian stages'),
      );
  }
  if (file.python !== undefined && python === undefined) {
    yield finding(
      ['python'],
      'the base image has no key "python"',
      'create a new image with this one as its parent',
    );
  }
  if (file.go !== undefined && go === undefined) {
    yield finding(
      ['go'],
      'the base image has no key "go"',
      'create a new image with this one as its parent',
    );
  }
  if (file.series !== undefined && series === undefined)
    yield finding(
      ['series'],
      'the image exists in every series already',
      'remove "series" from the overlay',
    );
}

function keyOf(path: YamlPath): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

/** A value for messages: the value of an item for some series, the name of a test. */
function textOf(value: Json): string {
  if (!isRecord(value)) return typeof value === 'string' ? value : canonicalJson(value);
  const { value: item, series, name } = value;
  if (typeof item === 'string' && isList(series ?? null))
    return `${item} (${(series as readonly string[]).join(', ')})`;
  return typeof name === 'string' ? name : canonicalJson(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
