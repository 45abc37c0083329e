import { CcpError, messageOf, omitUndefined, type ImageName } from '#core';
import type { PlannedImage } from '#plan';
import type { BuildFault, Outcome } from './types.ts';

/** The properties that all outcomes of an image have. */
export function outcomeOf({
  image,
  fingerprint,
  version,
}: PlannedImage): Pick<Outcome, 'image' | 'fingerprint' | 'version'> {
  return { image, fingerprint, version };
}

/** A thrown value as data. */
export function faultOf(thrown: unknown): BuildFault {
  if (!(thrown instanceof CcpError)) return { code: 'unexpected', message: messageOf(thrown) };
  return {
    code: thrown.code,
    message: thrown.message,
    ...omitUndefined({ hint: thrown.hint }),
  };
}

/** True if the image is stored and named. */
export function isStored(outcome: Outcome): outcome is Extract<Outcome, { stored: unknown }> {
  return 'stored' in outcome;
}

/**
 * The outcome of an image with failed ancestors, by its parents' outcomes; undefined without any.
 */
export function blockedOutcome(
  planned: PlannedImage,
  outcomes: ReadonlyMap<ImageName, Outcome>,
): Outcome | undefined {
  const by = Object.values(planned.parents).flatMap((parent) => {
    const above = outcomes.get(parent);
    if (above?.type === 'blocked') return above.by;
    return above?.type === 'failed' ? [parent] : [];
  });
  if (by.length === 0) return undefined;
  return { ...outcomeOf(planned), type: 'blocked', by: [...new Set(by)].sort() };
}
