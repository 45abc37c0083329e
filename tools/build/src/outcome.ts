import { CcpError, messageOf } from '#core';
import type { PlannedImage } from '#plan';
import type { BuildFault, Outcome } from './types.ts';

/** What every outcome of an image begins with. */
export function outcomeOf({ image, fingerprint, version }: PlannedImage): Pick<Outcome, 'image' | 'fingerprint' | 'version'> {
  return { image, fingerprint, version };
}

/** Anything that was thrown, as data. */
export function faultOf(thrown: unknown): BuildFault {
  if (!(thrown instanceof CcpError)) return { code: 'unexpected', message: messageOf(thrown) };
  return { code: thrown.code, message: thrown.message, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
}

/** True where the image is in the store under its name. */
export function isStored(outcome: Outcome): outcome is Extract<Outcome, { stored: unknown }> {
  return 'stored' in outcome;
}
