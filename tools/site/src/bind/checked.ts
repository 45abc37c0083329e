import { CcpError, type ErrorParts } from '#core';

/** A value, or the findings that prevent it. */
export type Checked<T> = { readonly value: T } | { readonly findings: readonly CcpError[] };

/** The values of a tuple or list of checked values. */
type Values<List extends readonly Checked<unknown>[]> = {
  -readonly [Index in keyof List]: List[Index] extends Checked<infer T> ? T : never;
};

export function valid<T>(value: T): Checked<T> {
  return { value };
}

/** One finding instead of a value. */
export function invalid(parts: ErrorParts): Checked<never> {
  return { findings: [new CcpError(parts)] };
}

/** The findings of a checked value; empty if it is valid. */
export function findingsOf(checked: Checked<unknown>): readonly CcpError[] {
  return 'findings' in checked ? checked.findings : [];
}

/** Applies `next` to a valid value. Findings are returned unchanged. */
export function andThen<T, U>(checked: Checked<T>, next: (value: T) => Checked<U>): Checked<U> {
  return 'findings' in checked ? checked : next(checked.value);
}

/** Maps a valid value. Findings are returned unchanged. */
export function mapValid<T, U>(checked: Checked<T>, change: (value: T) => U): Checked<U> {
  return 'findings' in checked ? checked : { value: change(checked.value) };
}

/** The values in order, or the findings of the whole list. */
export function allValid<const List extends readonly Checked<unknown>[]>(
  list: List,
): Checked<Values<List>> {
  const findings = list.flatMap(findingsOf);
  if (findings.length > 0) return { findings };
  return { value: list.map((each) => ('value' in each ? each.value : undefined)) as Values<List> };
}
