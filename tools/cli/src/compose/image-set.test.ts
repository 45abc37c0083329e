import { expect, it } from 'vitest';
import { lastImageSet } from './image-set.ts';
import type { Project } from './project.ts';

it('names the command that builds an image set, and the option that reads another', () => {
  const project = { paths: { imageSet: () => '/nonexistent' }, series: { name: '2026.1' } };
  expect(() => lastImageSet(project as unknown as Project)).toThrow(
    expect.objectContaining({
      code: 'image-set-missing',
      message: 'no image set of series 2026.1 was built in this workspace',
      hint: 'run `ccp build --series 2026.1`, or name an image set file with --set',
    }),
  );
});
