import type { ImageInputs, SourceOrigin } from '#context';
import {
  CcpError,
  type Digest,
  type Fingerprint,
  type ImageName,
  type Platform,
  type Series,
} from '#core';
import type { ImageGraph } from '#graph';
import { differences } from './differences.ts';
import { fingerprintOf, inputRecord, versionOf } from './fingerprint.ts';
import type { BuildPlan, Difference, PlannedImage, Reason, RecordedImage } from './types.ts';

/** The reasons to test a stored image again, by its recorded tests. */
const TEST_REASONS: Readonly<Record<'passed' | 'others' | 'nothing', readonly Reason[]>> = {
  passed: [],
  others: [{ kind: 'retested' }],
  nothing: [{ kind: 'untested' }],
};

/** The input of `planBuild`. */
export interface PlanRequest {
  readonly graph: ImageGraph;
  readonly series: Series;
  readonly platform: Platform;
  readonly origin: SourceOrigin;
  readonly inputs: ReadonlyMap<ImageName, ImageInputs>;
  /** Images to plan; must include all their ancestors. By default all images of the graph. */
  readonly selection?: ReadonlySet<ImageName>;
  /** The stored image of a fingerprint; `isWhole` is false if its blobs are damaged or missing. */
  readonly stored: (
    fingerprint: Fingerprint,
  ) => { readonly digest: Digest; readonly isWhole: boolean } | undefined;
  /** Whether the stored image passed its current tests, `others` before, or `nothing` known. */
  readonly tests: (image: ImageName, digest: Digest) => 'passed' | 'others' | 'nothing';
  /** The inputs of the image's last build; only called for images that must be built. */
  readonly previous: (image: ImageName) => RecordedImage | undefined;
}

/**
 * Computes the fingerprints of the selected images, parents first, and decides what to build.
 * Throws
 * `plan-incomplete` if the inputs of an image or of one of its parents are missing.
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

/** True if an image must be built, or tested again. */
export function hasWork({ action, reasons }: Pick<PlannedImage, 'action' | 'reasons'>): boolean {
  return action === 'build' || reasons.length > 0;
}

function planImage(
  image: ImageName,
  { graph, series, stored, tests, previous }: PlanRequest,
  planned: ReadonlyMap<ImageName, PlannedImage>,
  inputs: ImageInputs | undefined,
): PlannedImage {
  if (inputs === undefined) throw incomplete(image, 'its inputs are missing');
  const parents = graph.images.get(image)?.parents ?? {};
  const fingerprints: Record<string, Fingerprint> = {};
  for (const [role, parent] of Object.entries(parents)) {
    const above = planned.get(parent);
    if (above === undefined)
      throw incomplete(image, `its parent ${parent} is not part of the plan`);
    fingerprints[role] = above.fingerprint;
  }
  const record = inputRecord(inputs, fingerprints);
  const fingerprint = fingerprintOf(record);
  const common = { image, fingerprint, version: versionOf(series, fingerprint), record, parents };
  const known = stored(fingerprint);
  if (known?.isWhole === false)
    return { ...common, action: 'build', reasons: [{ kind: 'damaged' }] };
  if (known !== undefined) {
    const reasons = TEST_REASONS[tests(image, known.digest)];
    return { ...common, action: 'reuse', digest: known.digest, reasons };
  }
  return { ...common, action: 'build', reasons: reasonsFor({ record }, previous(image), parents) };
}

function reasonsFor(
  current: RecordedImage,
  last: RecordedImage | undefined,
  parents: Readonly<Record<string, ImageName>>,
): readonly Reason[] {
  if (last === undefined) return [{ kind: 'not-built' }];
  const found = differences(last, current);
  if (found.length === 0) return [{ kind: 'lost' }];
  return found.map((each) => {
    const image = each.input === 'parent' ? parents[each.name] : undefined;
    const difference = image === undefined ? each : ({ ...each, image } as Difference);
    return { kind: 'changed', difference };
  });
}

function incomplete(image: ImageName, why: string): CcpError {
  return new CcpError({
    code: 'plan-incomplete',
    message: `the fingerprint of ${image} cannot be computed: ${why}`,
    hint: 'run `ccp lock --check`',
  });
}
