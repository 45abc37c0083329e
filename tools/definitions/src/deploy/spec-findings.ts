import { fileFindings, type FileFindings, type KeyPath } from '#core';
import type { AppSpec } from './app-spec.ts';

/**
 * Collects findings (`app-spec-invalid`) of an app spec; `what` of `known` is a noun such as
 * "volume".
 */
export type SpecFindings = FileFindings;
/** Path of a value in an app spec. */
export type SpecPath = KeyPath;

/** An empty collection of findings. */
export function specFindings(spec: Pick<AppSpec, 'position'>): SpecFindings {
  const found = fileFindings('app-spec-invalid', (path) => spec.position(path));
  return {
    ...found,
    known: (path, what, name, names) => found.known(path, `unknown ${what}`, name, names),
  };
}
