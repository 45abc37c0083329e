import { CcpError, messageOf, omitUndefined } from '#core';
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
