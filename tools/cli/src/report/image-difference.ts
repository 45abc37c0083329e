import { escapeControls } from '#core';
import type { ImageDifference } from '#store';

type Member = ImageDifference['layers'][number]['members'][number];

/** Lines of `ccp diff-image`: each layer that differs with its paths, then the configuration. */
export function differenceLines({ layers, config }: ImageDifference): readonly string[] {
  return [
    ...layers.flatMap(({ layer, digests: [first, second], members }) => [
      `layer ${layer}: ${first ?? 'absent'} and ${second ?? 'absent'}`,
      ...(members.length === 0
        ? ['  equal paths; their order or the format of the archive differs']
        : members.map((member) => `  ${escapeControls(memberText(member))}`)),
    ]),
    ...config.map(
      ({ field, values: [first, second] }) =>
        `${escapeControls(field)}: ${escapeControls(first ?? 'absent')} and ${escapeControls(second ?? 'absent')}`,
    ),
  ];
}

function memberText({ path, fields, absent }: Member): string {
  if (absent !== undefined)
    return `${path}: only in the ${absent === 'first' ? 'second' : 'first'} image`;
  const texts = fields.map(
    ({ field, values: [first, second] }) => `${field} ${first || 'none'} and ${second || 'none'}`,
  );
  return `${path}: ${texts.join(', ')}`;
}
