import {
  CcpError,
  imageName,
  parseDocument,
  parseSha256,
  platform,
  series,
  type Fingerprint,
} from '#core';
import { fingerprintOf, versionOf } from './fingerprint.ts';
import { isReason, reasonText } from './reasons.ts';
import type {
  BuildPlan,
  ImageRecord,
  PlanDocument,
  PlannedImage,
  PlannedImageDocument,
} from './types.ts';

/** A plan as the text of a plan file: indented JSON with a final line feed. */
export function planText(plan: BuildPlan): string {
  return `${JSON.stringify(planDocument(plan), undefined, 1)}\n`;
}

/** The JSON form of a plan, with its reasons as texts and as data. */
export function planDocument(plan: BuildPlan): PlanDocument {
  return {
    ...plan,
    images: plan.images.map((image) => ({
      ...image,
      reasons: image.reasons.map(reasonText),
      causes: image.reasons,
    })),
  };
}

/**
 * Parses a plan file. Throws `plan-format` for another format number, and `plan-invalid` if it is
 * not a plan or if its fingerprints do not match its records (for example after an edit). Messages
 * contain `file`.
 */
export function parsePlan(text: string, file: string): BuildPlan {
  const refuse = (what: string): CcpError =>
    new CcpError({
      code: 'plan-invalid',
      message: `${file} is not a plan: ${what}`,
      hint: 'create it again with `ccp plan -o FILE`',
    });
  const otherFormat = (what: string): CcpError =>
    new CcpError({
      code: 'plan-format',
      message: `${file} ${what}`,
      hint: 'create the plan again with this version of ccp',
    });
  const plan: Partial<PlanDocument> = parseDocument(text, { invalid: refuse, otherFormat });
  if (!Array.isArray(plan.images)) throw refuse('"images" is not a list');
  if (plan.origin !== 'git' && plan.origin !== 'archive')
    throw refuse('"origin" is neither git nor archive');
  try {
    const name = series(String(plan.series));
    platform(String(plan.platform));
    const images = plan.images as readonly PlannedImageDocument[];
    for (const image of images) checkImage(image, name);
    return { ...(plan as PlanDocument), images: images.map(withReasons) };
  } catch (error) {
    throw refuse((error as Error).message);
  }
}

function withReasons({ causes, reasons, ...planned }: PlannedImageDocument): PlannedImage {
  const texts: readonly unknown[] | undefined = Array.isArray(reasons) ? reasons : undefined;
  const read: unknown = causes ?? texts?.map((text) => ({ kind: 'recorded', text }));
  if (!Array.isArray(read) || !read.every(isReason))
    throw new Error(`the reasons of ${planned.image} are invalid`);
  return { ...planned, reasons: read };
}

function checkImage(planned: PlannedImageDocument, name: ReturnType<typeof series>): void {
  imageName(planned.image);
  parseSha256(planned.fingerprint);
  const expected: Fingerprint = fingerprintOf(planned.record as ImageRecord);
  if (planned.record.image !== planned.image)
    throw new Error(`the record of ${planned.image} belongs to ${planned.record.image}`);
  if (expected !== planned.fingerprint)
    throw new Error(`the fingerprint of ${planned.image} does not match its record`);
  if (planned.version !== versionOf(name, planned.fingerprint))
    throw new Error(`the version of ${planned.image} does not match its fingerprint`);
}
