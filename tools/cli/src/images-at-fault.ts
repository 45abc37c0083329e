import { CcpError, CcpErrors } from '#core';
import { lockStatuses, type Project } from './compose.ts';

/** The folder of an image in a path of this workspace or of one that it overlays. */
const FOLDER = /(?:^|\/)images\/([^/]+)\//;

/**
 * Those of `images` that what ended a run before its first step is about: their lock is not current, or a finding stands in a file
 * of theirs. Empty where it is about something else (no engine, a full disk, a file of all images) in whole or in part.
 */
export function imagesAtFault(thrown: CcpError, images: readonly string[], project: Project): readonly string[] {
  if (thrown.code.startsWith('lock-')) {
    return [...lockStatuses(project).values()].filter(({ image, state }) => state !== 'current' && images.includes(image)).map(({ image }) => image);
  }
  const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown];
  const found = findings.map(({ at }) => FOLDER.exec(at?.file ?? '')?.[1] ?? '');
  return found.every((image) => images.includes(image)) ? [...new Set(found)] : [];
}
