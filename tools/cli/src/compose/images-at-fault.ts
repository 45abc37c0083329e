import { CcpError, CcpErrors } from '#core';
import { lockStatuses } from './plan.ts';
import type { Project } from './project.ts';

/** The image folder in a path of this workspace or of an overlaid one. */
const FOLDER = /(?:^|\/)images\/([^/]+)\//;

/**
 * The images that caused an error before the first step: their lock is out of date, or a finding is
 * in one of their files. Empty if any part of the error has another cause (engine, disk, shared
 * file).
 */
export function imagesAtFault(
  thrown: CcpError,
  images: readonly string[],
  project: Project,
): readonly string[] {
  if (thrown.code.startsWith('lock-')) {
    return [...lockStatuses(project).values()]
      .filter(({ image, state }) => state !== 'current' && images.includes(image))
      .map(({ image }) => image);
  }
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  const found = findings.map(({ at }) => FOLDER.exec(at?.file ?? '')?.[1] ?? '');
  return found.every((image) => images.includes(image)) ? [...new Set(found)] : [];
}
