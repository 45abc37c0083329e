import { describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import { buildTable } from './build-table.ts';
import { built, reused, failed, blocked, result } from './testing/sample-outcomes.ts';
import { shortened } from './text.ts';

describe('buildTable', () => {
  it('has a line for each image, the counts, the failures and the log folder', () => {
    expect(
      buildTable({
        result,
        logs: '.ccp/logs/1',
        imageSet: '.ccp/sets/1.json',
        set: { images: 2, left: [], missing: [{ image: failed.image, why: 'its build failed' }] },
      }),
    ).toBe(
      [
        'IMAGE              VERSION              OUTCOME                       DIGEST                SIZE       TIME',
        `debian-base        ${shortened(built.version)}  built                         sha256:45a67ba6525e  75 MB       12 s`,
        `memcached          ${shortened(reused.version)}  reused                        ${shortened(digestOf('memcached'))}  80 MB          -`,
        `openstack-builder  ${shortened(failed.version)}  failed                        -                        -  1 min 5 s`,
        `keystone           ${shortened(blocked.version)}  blocked by openstack-builder  -                        -          -`,
        '',
        '4 images in 1 min 17 s: 1 built, 1 reused, 1 failed, 1 blocked',
        'openstack-builder: step "[1/2] RUN make" failed with exit code 2',
        '  make: no rule',
        '  -> see the log',
        'logs: .ccp/logs/1',
        'image set: .ccp/sets/1.json (2 images)',
        'not in the image set: openstack-builder (its build failed)',
      ].join('\n'),
    );
  });

  it('shows the end of a long cause, and the set of a cancelled run as it was', () => {
    const fault = {
      code: 'image-tests-failed',
      message: [
        'the tests found 10 faults:',
        ...Array.from({ length: 10 }, (_, index) => `- ${index + 1}`),
      ].join('\n'),
    };
    const lines = buildTable({
      result: { ...result, outcomes: [{ ...failed, fault }] },
      logs: '.ccp/logs/1',
    })
      .split('\n')
      .slice(3);
    expect(lines).toEqual([
      '1 image in 1 min 17 s: 1 failed',
      'openstack-builder: the tests found 10 faults:',
      '  (2 lines more in the log)',
      ...[3, 4, 5, 6, 7, 8, 9, 10].map((index) => `  - ${index}`),
      'logs: .ccp/logs/1',
      'the image set was not changed',
    ]);
  });

  it('reports why no set was written', () => {
    const setFault = {
      code: 'machine-disk',
      message: 'cannot write .ccp/sets/1.json: the disk is full',
      hint: 'free space',
    };
    expect(buildTable({ result, logs: '.ccp/logs/1', setFault }).split('\n').slice(-2)).toEqual([
      'the image set was not changed: cannot write .ccp/sets/1.json: the disk is full',
      '  -> free space',
    ]);
  });

  it('prints no log folder if nothing was built', () => {
    const complete = { ...result, outcomes: [reused], complete: true, seconds: 0.2 };
    const set = { images: 1, left: [], missing: [] };
    expect(
      buildTable({ result: complete, logs: '.ccp/logs/1', imageSet: '.ccp/sets/1.json', set })
        .split('\n')
        .slice(-2),
    ).toEqual(['1 image in 0.2 s: 1 reused', 'image set: .ccp/sets/1.json (1 image)']);
  });
});
