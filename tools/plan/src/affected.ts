import type { Fingerprint, ImageName } from '#core';
import { differences, differenceText } from './differences.ts';
import type { Difference, ImageRecord } from './types.ts';

/** An image's fingerprint and inputs in one commit. */
export interface ImageState {
  readonly fingerprint: Fingerprint;
  readonly record: ImageRecord;
  /** Role -> image. */
  readonly parents: Readonly<Record<string, ImageName>>;
}

/** The images of a series in one commit. */
export interface SeriesState {
  readonly images: ReadonlyMap<ImageName, ImageState>;
  /** Images whose fingerprint cannot be computed, with the reason as a clause. */
  readonly unknown: ReadonlyMap<ImageName, string>;
}

/**
 * Why an image is affected: its fingerprint `changed`, it was `added`, or one of its fingerprints
 * is `unknown`.
 */
export interface AffectedImage {
  readonly image: ImageName;
  readonly kind: 'changed' | 'added' | 'unknown';
  /** Clauses, the most informative first. */
  readonly reasons: readonly string[];
}

/**
 * The images of `after` whose fingerprint differs from `before`, in the order of `after`: the
 * images that must be built. An image whose fingerprint is unknown on one side counts as affected.
 * `base` names the commit of `before` in reasons.
 */
export function affectedImages(
  before: SeriesState,
  after: SeriesState,
  base: string,
): readonly AffectedImage[] {
  const known = [...after.images].flatMap(([image, state]) => {
    const last = before.images.get(image);
    if (last?.fingerprint === state.fingerprint) return [];
    return [last === undefined ? absentBefore(image, before, base) : changed(image, last, state)];
  });
  const unknown = [...after.unknown].map(([image, reason]): AffectedImage => ({
    image,
    kind: 'unknown',
    reasons: [reason],
  }));
  return [...known, ...unknown];
}

/** The images of `before` that `after` does not have, sorted by name. */
export function removedImages(before: SeriesState, after: SeriesState): readonly ImageName[] {
  return [...before.images.keys(), ...before.unknown.keys()]
    .filter((image) => !after.images.has(image) && !after.unknown.has(image))
    .sort();
}

function absentBefore(image: ImageName, { unknown }: SeriesState, base: string): AffectedImage {
  const reason = unknown.get(image);
  return reason === undefined
    ? { image, kind: 'added', reasons: [`new image: not in ${base}`] }
    : { image, kind: 'unknown', reasons: [`in ${base}, ${reason}`] };
}

function changed(image: ImageName, before: ImageState, after: ImageState): AffectedImage {
  const found = differences(before, after).map((each) => {
    const parent = each.input === 'parent' ? after.parents[each.name] : undefined;
    return parent === undefined ? each : ({ ...each, image: parent } as Difference);
  });
  const reasons = found.map(differenceText);
  return {
    image,
    kind: 'changed',
    reasons: reasons.length > 0 ? reasons : ['ccp computes its fingerprint in another way'],
  };
}
