import { expect, it } from 'vitest';
import { mountsBelow } from './release-mounts.ts';

it('finds the mounts below a folder, the deepest first, also with escaped names', () => {
  const mountinfo = [
    '22 1 254:0 / / rw - ext4 /dev/vda rw',
    '23 22 254:0 /a /tmp/an\\040engine rw - ext4 /dev/vda rw',
    '24 23 254:0 /a /tmp/an\\040engine/data/overlay2 rw - ext4 /dev/vda rw',
    '25 22 254:0 /b /tmp/an\\040engine-other rw - ext4 /dev/vda rw',
    '',
  ].join('\n');
  expect(mountsBelow('/tmp/an engine', mountinfo)).toEqual([
    '/tmp/an engine/data/overlay2',
    '/tmp/an engine',
  ]);
});
