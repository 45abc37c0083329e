import { expect, it } from 'vitest';
import { shortStep } from './short-step.ts';

it.each([
  [
    '[3/5] RUN --mount=type=tmpfs,target=/run     --mount=type=bind,source=.inputs/debian/runtime,target=/run/debs     set -eu; export A=1 LC_ALL=C.UTF-8;     touch /run/before;     apt-get -qq install /run/debs/*.deb',
    '[3/5] RUN touch /run/before; apt-get -qq install /run/debs/*.deb',
  ],
  ['[build 2/9] RUN set -e; make', '[build 2/9] RUN make'],
  [`[2/2] RUN ${'x'.repeat(70)}`, `[2/2] RUN ${'x'.repeat(55)}…`],
  ['[4/4] COPY --chown=1:1 files/ /', '[4/4] COPY --chown=1:1 files/ /'],
  ['[internal] load build context', '[internal] load build context'],
  ['test', 'test'],
])('shortens %s', (name, short) => expect(shortStep(name)).toBe(short));
