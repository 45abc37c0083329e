import type { Position } from '#core';
import type { Layer } from './explanation.ts';

export type Path = readonly (string | number)[];

/** A file that was read. */
export interface Placed {
  position(path: Path): Position;
}

/**
 * The value of a file at `path`, followed by names joined by dots. A key with dots is found by its
 * full name.
 */
export function placed(file: Placed, path: Path, dotted = ''): Layer[] {
  const found = lookUp(at(file, path), dotted);
  return found === undefined
    ? []
    : [{ at: file.position([...path, ...found.path]), value: found.value }];
}

function at(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (hasMembers(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    tree,
  );
}

function lookUp(
  value: unknown,
  dotted: string,
): { readonly path: Path; readonly value: unknown } | undefined {
  if (dotted === '') return value === undefined ? undefined : { path: [], value };
  if (!hasMembers(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (dotted !== key && !dotted.startsWith(`${key}.`)) continue;
    const found = lookUp(inner, dotted.slice(key.length + 1));
    if (found !== undefined) return { path: [key, ...found.path], value: found.value };
  }
  return undefined;
}

/** Whether it is a map or a list. */
function hasMembers(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null;
}
