import { sizeText } from '../../report/text.ts';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** The inputs (0.9 GB) and the images (1.6 GB) of a series must fit. */
const LEAST_BYTES = 3e9;
/** The figure of docs/quickstart.md, which includes the engine and Kubernetes. */
const USUAL_BYTES = 12e9;

/** The file system of a folder; the folder itself may be missing. */
export interface DiskSpace {
  readonly device: number;
  /** Bytes that this user can still write. */
  readonly freeBytes: number;
}

/** A folder that grows, with its purpose. */
export interface UsedFolder {
  readonly purpose: string;
  readonly folder: string;
  /** How to use another folder. */
  readonly hint: string;
}

/** A finding for each file system that ccp writes to. */
export function checkDisk(
  folders: readonly UsedFolder[],
  spaceOf: (folder: string) => DiskSpace,
): readonly MachineFinding[] {
  const used = folders.map((each) => ({ ...each, space: spaceOf(each.folder) }));
  return [...Map.groupBy(used, ({ space }) => space.device).values()].map((shared) => {
    const [{ space, folder }] = shared as [(typeof used)[number]];
    const purposes = shared.map(({ purpose }) => purpose).join(', ');
    const free = `${sizeText(space.freeBytes)} free in ${folder} (${purposes})`;
    if (space.freeBytes >= USUAL_BYTES) return { check: 'disk', outcome: 'ok', detail: free };
    const hints = [...new Set(shared.map(({ hint }) => hint))].join('; ');
    return {
      check: 'disk',
      outcome: space.freeBytes < LEAST_BYTES ? 'failed' : 'warning',
      detail: `${free}; builds and a local cluster need up to ${sizeText(USUAL_BYTES)}`,
      hint: `free space with \`ccp clean\` and \`ccp cache prune\`; ${hints}`,
    };
  });
}
