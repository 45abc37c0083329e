import { CcpError, imageName, parseDocument, parseSha256, platform, series, type Fingerprint } from '#core';
import { fingerprintOf, versionOf } from './fingerprint.ts';
import type { BuildPlan, ImageRecord, PlannedImage } from './types.ts';

/** A plan as the bytes of a plan file: JSON, one image after the other, ending in a line feed. */
export function planText(plan: BuildPlan): string {
  return `${JSON.stringify(plan, undefined, 1)}\n`;
}

/**
 * Reads a plan file. Raises `plan-format` for another format number and `plan-invalid` for anything that is not a plan, or whose
 * fingerprints do not follow from its records (edited by hand); both name `file`.
 */
export function parsePlan(text: string, file: string): BuildPlan {
  const refuse = (what: string): CcpError =>
    new CcpError({ code: 'plan-invalid', message: `${file} is not a plan: ${what}`, hint: 'make it again with `ccp plan -o FILE`' });
  const otherFormat = (what: string): CcpError =>
    new CcpError({ code: 'plan-format', message: `${file} ${what}`, hint: 'make the plan again with this version of ccp' });
  const plan: Partial<BuildPlan> = parseDocument(text, { invalid: refuse, otherFormat });
  if (!Array.isArray(plan.images)) throw refuse('"images" is not a list');
  if (plan.origin !== 'git' && plan.origin !== 'archive') throw refuse('"origin" is neither git nor archive');
  try {
    const name = series(String(plan.series));
    platform(String(plan.platform));
    for (const image of plan.images as readonly PlannedImage[]) checkImage(image, name);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  return plan as BuildPlan;
}

function checkImage(planned: PlannedImage, name: ReturnType<typeof series>): void {
  imageName(planned.image);
  parseSha256(planned.fingerprint);
  const expected: Fingerprint = fingerprintOf(planned.record as ImageRecord);
  if (planned.record.image !== planned.image) throw new Error(`the record of ${planned.image} is that of ${planned.record.image}`);
  if (expected !== planned.fingerprint) throw new Error(`the fingerprint of ${planned.image} does not follow from its record`);
  if (planned.version !== versionOf(name, planned.fingerprint)) throw new Error(`the version of ${planned.image} does not follow from its fingerprint`);
}
