import { CcpError, type ImageName } from '#core';
import { differences, differenceText } from './differences.ts';
import { DAMAGED, hasWork, LOST, NOT_BUILT, UNTESTED } from './plan-build.ts';
import type { BuildPlan, Difference, ImageDetails, PlannedImage, RecordedImage } from './types.ts';

/** Why an image differs from what it was; a parent's difference carries the parent's own explanation. */
export interface Explanation {
  readonly image: ImageName;
  /**
   * Against the last build: `new` where there was none, `lost` where the inputs are equal but the store has no result, `damaged` where
   * it has one that nobody can rely on, `retested` where only its tests changed, `untested`
   * where nothing is known of them. Against a plan: `added` where it does not hold the image.
   */
  readonly state: 'unchanged' | 'new' | 'changed' | 'lost' | 'damaged' | 'retested' | 'untested' | 'added';
  readonly differences: readonly { readonly difference: Difference; readonly because?: Explanation }[];
}

/** What the images of a plan are compared with: what was built of them last, or another plan, whatever was built of that. */
export interface EarlierImages {
  readonly of: 'build' | 'plan';
  readonly get: (image: ImageName) => RecordedImage | undefined;
}

/** Explains one image of a plan against what was before. Raises `image-unknown` where the plan does not have the image. */
export function explainImage(plan: BuildPlan, image: ImageName, before: EarlierImages, detailsOf: (image: ImageName) => ImageDetails | undefined): Explanation {
  // What is stored as it is now has no need of a build: that the last one was of other inputs is no news.
  const planned = plan.images.find((each) => each.image === image);
  if (planned !== undefined && before.of === 'build' && planned.action !== 'build') return { image, state: stateOnDisk(planned), differences: [] };
  return explainDifference(plan, image, before, detailsOf);
}

function explainDifference(plan: BuildPlan, image: ImageName, before: EarlierImages, detailsOf: (image: ImageName) => ImageDetails | undefined): Explanation {
  const planned = plan.images.find((each) => each.image === image);
  if (planned === undefined) throw new CcpError({ code: 'image-unknown', message: `the plan has no image ${image}` });
  const previous = before.get(image);
  if (previous === undefined) return { image, state: before.of === 'plan' ? 'added' : stateUnrecorded(planned), differences: [] };
  const equal = before.of === 'plan' ? 'unchanged' : stateOnDisk(planned);
  const details = detailsOf(image);
  const found = differences(previous, { record: planned.record, ...(details === undefined ? {} : { details }) });
  if (found.length === 0) return { image, state: equal, differences: [] };
  return {
    image,
    state: 'changed',
    differences: found.map((difference) => {
      const parent = difference.input === 'parent' ? planned.parents[difference.name] : undefined;
      if (parent === undefined) return { difference };
      const because = explainDifference(plan, parent, before, detailsOf);
      const told = because.state !== 'unchanged' || before.of === 'build';
      return { difference: { ...difference, image: parent } as Difference, ...(told ? { because } : {}) };
    }),
  };
}

function stateOnDisk(planned: PlannedImage): 'lost' | 'damaged' | 'retested' | 'untested' | 'unchanged' {
  if (planned.action === 'build') return planned.reasons.includes(DAMAGED) ? 'damaged' : 'lost';
  if (!hasWork(planned)) return 'unchanged';
  return planned.reasons.includes(UNTESTED) ? 'untested' : 'retested';
}

/** Of an image of which no build is recorded: what the store lacks was never lost. */
function stateUnrecorded(planned: PlannedImage): 'new' | 'damaged' | 'retested' | 'untested' | 'unchanged' {
  const state = stateOnDisk(planned);
  return state === 'lost' ? 'new' : state;
}

/** An explanation as an indented list. */
export function explanationText(explanation: Explanation, indent = ''): string {
  if (explanation.state === 'unchanged') return `${indent}${explanation.image}: nothing changed`;
  if (explanation.state === 'retested') return `${indent}${explanation.image}: only its tests changed`;
  if (explanation.state === 'untested') return `${indent}${explanation.image}: nothing changed, but ${UNTESTED}`;
  if (explanation.state === 'new') return `${indent}${explanation.image}: ${NOT_BUILT}`;
  if (explanation.state === 'lost') return `${indent}${explanation.image}: nothing changed, but ${LOST}`;
  if (explanation.state === 'damaged') return `${indent}${explanation.image}: nothing changed, but ${DAMAGED}`;
  if (explanation.state === 'added') return `${indent}${explanation.image}: not in the plan before`;
  const lines = [`${indent}${explanation.image} changed:`];
  for (const { difference, because } of explanation.differences) {
    lines.push(`${indent}  - ${differenceText(difference)}`);
    if (because !== undefined) lines.push(parentText(explanation.image, because, `${indent}    `));
  }
  return lines.join('\n');
}

/** A parent that is as it was when it was built last differs from what its child was built on: it was built in between. */
function parentText(child: ImageName, parent: Explanation, indent: string): string {
  if (!['unchanged', 'retested', 'untested'].includes(parent.state)) return explanationText(parent, indent);
  return `${indent}${parent.image}: built since ${child} was`;
}
