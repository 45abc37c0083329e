import type { Outcome } from '#build';
import type { ImageName } from '#core';
import type { ImageGraph } from '#graph';
import type { LockStatus } from '#locks';
import { hasReason, hasWork, reasonText, type BuildPlan, type PlannedImage } from '#plan';
import type { ImageSet } from '#release';
import { EXIT, exitCodeFor, isMachineFault } from './exit-codes.ts';

/** An image missing in an image set, and the reason. */
export interface Absence {
  readonly image: ImageName;
  readonly why: string;
}

/** The difference between an image set and the one before. */
export interface SetChange {
  /** Number of images in the set. */
  readonly images: number;
  /** Images of the previous set that are no longer in it. */
  readonly left: readonly Absence[];
  /** Images of the run that are in neither set. */
  readonly missing: readonly Absence[];
}

/** Input of the comparison of two sets. */
export interface SetChangeInput {
  /** The previous set, if any. */
  readonly before: ImageSet | undefined;
  readonly set: ImageSet;
  /** The plan of all images with up-to-date locks, which the set was made from. */
  readonly plan: BuildPlan;
  /** Outcomes of the images of the run. */
  readonly outcomes: readonly Outcome[];
  readonly graph: ImageGraph;
  readonly locks: ReadonlyMap<ImageName, Pick<LockStatus, 'state'>>;
}

/** Compares a set with the previous one and with the images of the run. */
export function setChange({
  before,
  set,
  plan,
  outcomes,
  graph,
  locks,
}: SetChangeInput): SetChange {
  const named = new Set(set.images.map(({ name }) => name));
  const planned = new Map(plan.images.map((each) => [each.image, each]));
  const ended = new Map(outcomes.map((outcome) => [outcome.image, outcome]));
  const why = (image: ImageName): string => {
    if (!graph.images.has(image)) return 'no longer in the series';
    const failed = failureText(ended.get(image));
    if (failed !== undefined) return failed;
    const parent = graph.order.find(
      (each) => !named.has(each) && graph.ancestors(image).includes(each),
    );
    if (parent !== undefined) return `its parent ${parent} is not in it`;
    const lock = locks.get(image)?.state ?? 'missing';
    return lock === 'current'
      ? planText(planned.get(image))
      : `lock ${lock === 'stale' ? 'out of date' : lock}`;
  };
  const absent = (images: readonly ImageName[]): readonly Absence[] =>
    images.filter((image) => !named.has(image)).map((image) => ({ image, why: why(image) }));
  const names = before?.images.map(({ name }) => name) ?? [];
  return {
    images: set.images.length,
    left: absent(names),
    missing: absent([...ended.keys()].filter((image) => !names.includes(image))),
  };
}

/**
 * A line for images that left the set and one for images that never were in it; empty if none is
 * missing.
 */
export function setChangeLines({
  left,
  missing,
}: Pick<SetChange, 'left' | 'missing'>): readonly string[] {
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

/** Error codes of full disks. */
const FULL: ReadonlySet<string> = new Set([
  'engine-disk-full',
  'store-full',
  'cache-full',
  'machine-disk',
]);

function failureText(outcome: Outcome | undefined): string | undefined {
  if (outcome?.type === 'blocked') return `blocked by ${outcome.by.join(', ')}`;
  if (outcome?.type !== 'failed') return undefined;
  const { code } = outcome.fault;
  if (code === 'image-tests-failed') return 'its tests failed';
  if (exitCodeFor(code) === EXIT.input) return 'some inputs could not be fetched';
  if (!isMachineFault(code)) return 'its build failed';
  if (FULL.has(code)) return 'a disk was full';
  return code.includes('engine') ? 'the engine failed' : 'this machine failed';
}

/** The reason for an image with an up-to-date lock; without a plan its inputs cannot be read. */
function planText(planned: PlannedImage | undefined): string {
  if (planned === undefined) return 'its template or files are invalid';
  const { action, reasons } = planned;
  const [first] = reasons;
  if (first !== undefined && hasReason(reasons, 'untested')) return reasonText(first);
  if (action !== 'build')
    return hasWork(planned)
      ? 'its tests changed and have not run since'
      : 'its lock is out of date';
  const kept = ['not-built', 'lost', 'damaged'] as const;
  return first !== undefined && kept.some((kind) => kind === first.kind)
    ? reasonText(first)
    : 'changed since it was built';
}
