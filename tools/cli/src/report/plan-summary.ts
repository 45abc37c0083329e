import { shortLines } from '#core';
import { hasWork, reasonText, type BuildPlan } from '#plan';

/** Reasons shown of an image. */
const SHOWN_REASONS = 3;

/** The text of a plan: the origin, a line for each image, and the counts. */
export function planSummary(plan: BuildPlan): string {
  const width = Math.max(...plan.images.map(({ image }) => image.length));
  const lines = plan.images.map(({ image, version, action, reasons, record }) => {
    const why =
      reasons.length === 0
        ? ''
        : `  ${shortLines(reasons.map(reasonText), SHOWN_REASONS).join('; ')}`;
    return `  ${image.padEnd(width)}  ${version}  ${action}${unlockedText(record)}${why}`;
  });
  const build = plan.images.filter(({ action }) => action === 'build').length;
  const test = plan.images.filter((image) => image.action === 'reuse' && hasWork(image)).length;
  const work = [
    ...(build === 0 ? [] : [`${build} to build`]),
    ...(test === 0 ? [] : [`${test} to test again`]),
  ];
  const end =
    work.length === 0
      ? 'nothing to do'
      : [...work, `${plan.images.length - build - test} up to date`].join(', ');
  return [
    `series ${plan.series}, ${plan.platform}, sources from ${plan.origin === 'git' ? 'git' : 'release archives'}`,
    ...lines,
    end,
  ].join('\n');
}

function unlockedText({ unlocked, network }: BuildPlan['images'][number]['record']): string {
  if (!unlocked) return '';
  return ` (unlocked: its steps have ${network === 'host' ? 'the network of the machine' : 'a network'})`;
}
