import { expect, it } from 'vitest';
import { developmentVersion, highestVersion } from './pbr-version.ts';

it.each([
  [undefined, 7, '', '0.0.1.dev7'],
  ['29.0.2', 3, 'Fix it', '29.0.3.dev3'],
  ['29.0', 1, '', '29.0.1.dev1'],
  ['29.0.2', 3, 'Add it\n\nSem-Ver: feature', '29.1.0.dev3'],
  ['29.0.2', 3, 'x\nSem-Ver: bugfix\ny\nsem-ver: deprecation', '29.1.0.dev3'],
  ['29.0.2', 3, 'Sem-Ver: feature, api-break', '30.0.0.dev3'],
  ['30.0.0.0rc1', 12, 'Sem-Ver: feature', '30.0.0.0rc2.dev12'],
])('after %s, %i commits on: %j is %s', (tag, distance, messages, version) => {
  expect(developmentVersion(tag, distance, messages)).toBe(version);
});

it('selects the highest version tag', () => {
  expect(
    highestVersion(['9.0.0', '10.0.0.0rc2', '10.0.0.0rc10', 'gazpacho-em', '10.0.0.0b9', '']),
  ).toBe('10.0.0.0rc10');
  expect(highestVersion(['10.0.0', '10.0.0.0rc2'])).toBe('10.0.0');
  expect(highestVersion(['release'])).toBeUndefined();
});
