import { CcpError, type ImageName } from '#core';
import { differences, differenceText } from './differences.ts';
import { hasWork, LOST, NOT_BUILT } from './plan-build.ts';
import type { BuildPlan, Difference, ImageDetails, RecordedImage } from './types.ts';

/** Why an image differs from what it was; a parent's difference carries the parent's own explanation. */
export interface Explanation {
  readonly image: ImageName;
  /**
   * `new` where there is nothing to compare with, `lost` where the inputs are equal but the store has no result, `untested`
   * where only its tests changed.
   */
  readonly state: 'unchanged' | 'new' | 'changed' | 'lost' | 'untested';
  readonly differences: readonly { readonly difference: Difference; readonly because?: Explanation }[];
}

/**
 * Explains one image of a plan against what its images were (last build or another plan). Raises `image-unknown` where the plan
 * does not have the image.
 */
export function explainImage(
  plan: BuildPlan,
  image: ImageName,
  previous: (image: ImageName) => RecordedImage | undefined,
  detailsOf: (image: ImageName) => ImageDetails | undefined,
): Explanation {
  const planned = plan.images.find((each) => each.image === image);
  if (planned === undefined) throw new CcpError({ code: 'image-unknown', message: `the plan has no image ${image}` });
  const before = previous(image);
  const same = planned.action === 'build' ? undefined : hasWork(planned) ? 'untested' : 'unchanged';
  if (before === undefined) return { image, state: same ?? 'new', differences: [] };
  const details = detailsOf(image);
  const found = differences(before, { record: planned.record, ...(details === undefined ? {} : { details }) });
  if (found.length === 0) return { image, state: same ?? 'lost', differences: [] };
  return {
    image,
    state: 'changed',
    differences: found.map((difference) => {
      const parent = difference.input === 'parent' ? planned.parents[difference.name] : undefined;
      if (parent === undefined) return { difference };
      return { difference: { ...difference, image: parent } as Difference, because: explainImage(plan, parent, previous, detailsOf) };
    }),
  };
}

/** An explanation as an indented list. */
export function explanationText(explanation: Explanation, indent = ''): string {
  if (explanation.state === 'unchanged') return `${indent}${explanation.image}: nothing changed`;
  if (explanation.state === 'untested') return `${indent}${explanation.image}: only its tests changed`;
  if (explanation.state === 'new') return `${indent}${explanation.image}: ${NOT_BUILT}`;
  if (explanation.state === 'lost') return `${indent}${explanation.image}: nothing changed, but ${LOST}`;
  const lines = [`${indent}${explanation.image} changed:`];
  for (const { difference, because } of explanation.differences) {
    lines.push(`${indent}  - ${differenceText(difference)}`);
    if (because !== undefined) lines.push(parentText(explanation.image, because, `${indent}    `));
  }
  return lines.join('\n');
}

/** A parent that is as it was when it was built last differs from what its child was built on: it was built in between. */
function parentText(child: ImageName, parent: Explanation, indent: string): string {
  if (parent.state !== 'unchanged' && parent.state !== 'untested') return explanationText(parent, indent);
  return `${indent}${parent.image}: built since ${child} was`;
}
