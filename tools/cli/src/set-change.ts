import type { Outcome } from '#build';
import type { ImageName } from '#core';
import type { ImageGraph } from '#graph';
import type { LockStatus } from '#locks';
import { DAMAGED, hasWork, LOST, NOT_BUILT, UNTESTED, type BuildPlan, type PlannedImage } from '#plan';
import type { ImageSet } from '#release';
import { EXIT, exitCodeFor, isMachineFault } from './exit-codes.ts';

/** An image that an image set does not name, and why, in a few words. */
export interface Absence {
  readonly image: ImageName;
  readonly why: string;
}

/** What a written image set names, and what it does not. */
export interface SetChange {
  /** How many images it names. */
  readonly images: number;
  /** What the set before named. */
  readonly left: readonly Absence[];
  /** What the run was about and neither set names. */
  readonly missing: readonly Absence[];
}

/** What two sets are compared by. */
export interface SetChangeInput {
  /** The set before; absent where there was none. */
  readonly before: ImageSet | undefined;
  readonly set: ImageSet;
  /** The plan that the set was made by, of all images whose locks are current. */
  readonly plan: BuildPlan;
  /** What became of the images of the run. */
  readonly outcomes: readonly Outcome[];
  readonly graph: ImageGraph;
  readonly locks: ReadonlyMap<ImageName, Pick<LockStatus, 'state'>>;
}

/** Compares a set with the one before and with what was to be built. */
export function setChange({ before, set, plan, outcomes, graph, locks }: SetChangeInput): SetChange {
  const named = new Set(set.images.map(({ name }) => name));
  const planned = new Map(plan.images.map((each) => [each.image, each]));
  const ended = new Map(outcomes.map((outcome) => [outcome.image, outcome]));
  const why = (image: ImageName): string => {
    if (!graph.images.has(image)) return 'no longer in the series';
    const failed = failureText(ended.get(image));
    if (failed !== undefined) return failed;
    const parent = graph.order.find((each) => !named.has(each) && graph.ancestors(image).includes(each));
    if (parent !== undefined) return `its parent ${parent} is not in it`;
    const lock = locks.get(image)?.state ?? 'missing';
    return lock === 'current' ? planText(planned.get(image)) : `lock ${lock}`;
  };
  const absent = (images: readonly ImageName[]): readonly Absence[] => images.filter((image) => !named.has(image)).map((image) => ({ image, why: why(image) }));
  const names = before?.images.map(({ name }) => name) ?? [];
  return { images: set.images.length, left: absent(names), missing: absent([...ended.keys()].filter((image) => !names.includes(image))) };
}

/** The change in a line each for what left the set and what never was in it; nothing where all is there. */
export function setChangeLines({ left, missing }: Pick<SetChange, 'left' | 'missing'>): readonly string[] {
  return [
    ...(left.length === 0 ? [] : [`left the image set: ${grouped(left)}`]),
    ...(missing.length === 0 ? [] : [`not in the image set: ${grouped(missing)}`]),
  ];
}

function grouped(absences: readonly Absence[]): string {
  const images = new Map<string, ImageName[]>();
  for (const { image, why } of absences) images.set(why, [...(images.get(why) ?? []), image]);
  return [...images].map(([why, names]) => `${names.join(', ')} (${why})`).join('; ');
}

/** Codes of full disks: the engine's, the store's, the cache's, any other. */
const FULL: ReadonlySet<string> = new Set(['engine-disk-full', 'store-full', 'cache-full', 'machine-disk']);

function failureText(outcome: Outcome | undefined): string | undefined {
  if (outcome?.type === 'blocked') return `blocked by ${outcome.by.join(', ')}`;
  if (outcome?.type !== 'failed') return undefined;
  const { code } = outcome.fault;
  if (code === 'image-tests-failed') return 'its tests failed';
  if (exitCodeFor(code) === EXIT.input) return 'inputs of it cannot be had';
  if (!isMachineFault(code)) return 'its build failed';
  if (FULL.has(code)) return 'a disk was full';
  return code.includes('engine') ? 'the engine failed' : 'this machine failed';
}

/** Of an image whose lock is current; one that is in no plan has inputs that cannot be read. */
function planText(planned: PlannedImage | undefined): string {
  if (planned === undefined) return 'its template or files have a fault now';
  const [reason = ''] = planned.reasons;
  if (reason === UNTESTED) return reason;
  if (planned.action !== 'build') return hasWork(planned) ? 'its tests changed and were not run since' : 'its lock is not current';
  return [NOT_BUILT, LOST, DAMAGED].includes(reason) ? reason : 'changed since it was built';
}
