import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { BuildResult } from '#build';
import type { SourceOrigin } from '#context';
import { CcpError, messageOf, omitUndefined, sha256 } from '#core';
import type { BuildPlan, ImageDetails, ImageRecord } from '#plan';
import type { Output } from '../report/output.ts';
import { openFailures } from '../state/failures.ts';
import { openRecords } from '../state/records.ts';
import { detailsFromLock } from './details.ts';
import { plannedLock } from './inputs.ts';
import type { Project } from './project.ts';

/** Without the records, the next plan only explains changes in less detail. */
export function keepOrWarn(output: Output, keep: () => void): void {
  try {
    keep();
  } catch (thrown) {
    output.warn(`later plans will explain changes in less detail: ${messageOf(thrown)}`);
  }
}

/** Keeps the inputs of these images, for the reasons in later plans. */
export function keepRecords(project: Project, { series, images, origin }: BuildPlan): void {
  const records = openRecords(project.paths, series);
  for (const { image, record } of images) {
    if (isDeepStrictEqual(records.get(image)?.record, record)) continue;
    const details = detailsAsBuilt(project, record, origin);
    records.put(image, { record, ...omitUndefined({ details }) });
  }
}

/** Keeps the failure of each image whose build failed, and removes those of built images. */
export function keepFailures({ paths, root }: Project, { series, outcomes }: BuildResult): void {
  const failures = openFailures(paths, series);
  for (const outcome of outcomes) {
    const { image, fingerprint } = outcome;
    if ('stored' in outcome) failures.remove(image);
    if (outcome.type === 'failed')
      failures.put(image, {
        fingerprint,
        message: outcome.fault.message,
        ...(outcome.log === undefined ? {} : { log: relative(root, outcome.log) }),
      });
  }
}

/**
 * Undefined if the image's files changed after its build: its record then has only the hashes of
 * inputs.
 */
function detailsAsBuilt(
  project: Project,
  record: ImageRecord,
  origin: SourceOrigin,
): ImageDetails | undefined {
  try {
    const details = detailsFromLock(project, record.image, plannedLock(project, record, origin));
    return sha256(details.dockerfile ?? '') === record.dockerfile ? details : undefined;
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}
