import { CcpError, type Digest, type Fingerprint, type ImageName, type Platform, type Series } from '#core';
import type { ImageGraph } from '#graph';
import type { ImageInputs, Origin } from '#inputs';
import { differences, differenceText } from './differences.ts';
import { fingerprintOf, imageRecord, versionOf } from './fingerprint.ts';
import type { BuildPlan, PlannedImage, RecordedImage } from './types.ts';

/** The reason of an image that no record is kept of. */
export const NOT_BUILT = 'not built yet';
/** The reason of an image that is as it was built last, and gone. */
export const LOST = 'the store no longer has it';
/** The reason of an image whose stored blobs are not all there as they came. */
export const DAMAGED = 'what the store has of it is damaged or not all there';
/** The reason of a stored image that passed other tests than it has now. */
const RETESTED = 'its tests changed';
/** The reason of a stored image of whose tests nothing is known. */
export const UNTESTED = 'no run of its tests is known that passed';

/** What a plan is made from; all of it is values. */
export interface PlanRequest {
  readonly graph: ImageGraph;
  readonly series: Series;
  readonly platform: Platform;
  readonly origin: Origin;
  readonly inputs: ReadonlyMap<ImageName, ImageInputs>;
  /** Images to plan with all their ancestors in it; every image of the graph where absent. */
  readonly selection?: ReadonlySet<ImageName>;
  /** What the store has by fingerprint, and whether a run can rely on it. */
  readonly stored: (fingerprint: Fingerprint) => { readonly digest: Digest; readonly isWhole: boolean } | undefined;
  /** Which tests the stored image is known to have passed: those it has now, others, or none. */
  readonly tests: (image: ImageName, digest: Digest) => 'passed' | 'others' | 'nothing';
  /** What the image was last built from; only asked where it must be built. */
  readonly previous: (image: ImageName) => RecordedImage | undefined;
}

/**
 * Fingerprints every selected image, parents first, and decides what to build. Raises `plan-incomplete` where an image or one
 * of its parents has no inputs: a fingerprint that cannot be computed stops the run.
 */
export function planBuild(request: PlanRequest): BuildPlan {
  const { graph, series, platform, origin, inputs, selection } = request;
  const planned = new Map<ImageName, PlannedImage>();
  for (const image of graph.order) {
    if (selection !== undefined && !selection.has(image)) continue;
    planned.set(image, planImage(image, request, planned, inputs.get(image)));
  }
  return { format: 1, series, platform, origin, images: [...planned.values()] };
}

/** True where a run has to do something for an image: build it, or test again what the store has. */
export function hasWork({ action, reasons }: Pick<PlannedImage, 'action' | 'reasons'>): boolean {
  return action === 'build' || reasons.length > 0;
}

function planImage(
  image: ImageName,
  { graph, series, stored, tests, previous }: PlanRequest,
  planned: ReadonlyMap<ImageName, PlannedImage>,
  inputs: ImageInputs | undefined,
): PlannedImage {
  if (inputs === undefined) throw incomplete(image, 'its inputs are not known');
  const parents = graph.images.get(image)?.parents ?? {};
  const fingerprints: Record<string, Fingerprint> = {};
  for (const [role, parent] of Object.entries(parents)) {
    const above = planned.get(parent);
    if (above === undefined) throw incomplete(image, `its parent ${parent} is not part of the plan`);
    fingerprints[role] = above.fingerprint;
  }
  const record = imageRecord(inputs, fingerprints);
  const fingerprint = fingerprintOf(record);
  const common = { image, fingerprint, version: versionOf(series, fingerprint), record, parents };
  const known = stored(fingerprint);
  if (known?.isWhole === false) return { ...common, action: 'build', reasons: [DAMAGED] };
  if (known !== undefined) {
    const reasons = { passed: [], others: [RETESTED], nothing: [UNTESTED] }[tests(image, known.digest)];
    return { ...common, action: 'reuse', digest: known.digest, reasons };
  }
  return { ...common, action: 'build', reasons: reasonsFor({ record }, previous(image), parents) };
}

function reasonsFor(current: RecordedImage, last: RecordedImage | undefined, parents: Readonly<Record<string, ImageName>>): readonly string[] {
  if (last === undefined) return [NOT_BUILT];
  const found = differences(last, current);
  if (found.length === 0) return [LOST];
  return found.map((each) => differenceText(each.input === 'parent' && parents[each.name] ? { ...each, image: parents[each.name] as string } : each));
}

function incomplete(image: ImageName, why: string): CcpError {
  return new CcpError({ code: 'plan-incomplete', message: `the fingerprint of ${image} cannot be computed: ${why}`, hint: 'run `ccp lock --check`' });
}
