import { fileFindings, type FileFindings, type KeyPath } from '#core';
import type { AppSpec } from './app-spec.ts';

/** Where checks of an app spec note what they find, `app-spec-invalid` each; `what` of `known` is a noun such as "volume". */
export type SpecFindings = FileFindings;
/** Keys and indices from the top of an app spec to a value. */
export type SpecPath = KeyPath;

/** No findings yet. */
export function specFindings(spec: Pick<AppSpec, 'position'>): SpecFindings {
  const found = fileFindings('app-spec-invalid', (path) => spec.position(path));
  return { ...found, known: (path, what, name, names) => found.known(path, `there is no ${what}`, name, names) };
}
