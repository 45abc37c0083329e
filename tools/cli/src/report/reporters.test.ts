import { describe, expect, it } from 'vitest';
import type { BuildEvent, Outcome } from '#build';
import { digestOf } from '#core';
import { plainReporter } from './plain.ts';
import { terminalReporter } from './terminal.ts';
import {
  built,
  reused,
  failed,
  blocked,
  result,
  started,
  step,
} from './testing/sample-outcomes.ts';
import { shortened } from './text.ts';

const progress = (at: number, done: number): BuildEvent => ({
  type: 'progress',
  at,
  done,
  total: 4,
  eta: 240,
  running: [{ image: built.image, step: '[2/3] RUN \u001b[31mdpkg\u001b[0m', since: 0 }],
});

const ends = (outcome: Outcome): BuildEvent => ({ type: 'image-finished', at: 0, outcome });

describe('plainReporter', () => {
  const tell = (events: readonly BuildEvent[], verbose = false): readonly string[] => {
    const lines: string[] = [];
    const report = plainReporter({
      info: (text) => lines.push(text),
      warn: (text) => lines.push(`! ${text}`),
      verbose,
    });
    events.forEach(report);
    return lines;
  };

  it('reports a run line by line', () => {
    const retry: BuildEvent = {
      type: 'retry',
      at: 0,
      image: built.image,
      fault: { code: 'engine-failed', message: 'the engine local cut the stream' },
      attempt: 1,
      waitMs: 1200,
    };
    expect(
      tell([
        started,
        step(0, '[1/3] COPY'),
        { ...step(1, '[1/3] COPY'), state: 'done' } as BuildEvent,
        retry,
        {
          type: 'log-lost',
          at: 0,
          image: built.image,
          message: 'cannot write a.log: the disk is full',
        },
        progress(1, 0),
        ...[built, reused, failed, blocked].map(ends),
      ]),
    ).toEqual([
      '! building 3 of 4 images, 2 at once: about 4 min 10 s, longest chain 3 min 2 s',
      '! warning: the steps of keystone have a network, since its definition sets unlocked: true',
      '[debian-base] [1/3] COPY',
      '! [debian-base] the engine local cut the stream; trying again in 1.2 s',
      '! warning: the log of debian-base is incomplete: cannot write a.log: the disk is full',
      '[debian-base] built in 12 s: sha256:45a67ba6525e, 75 MB',
      '! [openstack-builder] failed after 1 min 5 s: step "[1/2] RUN make" failed with exit code 2',
      '!   make: no rule',
      '!   -> see the log',
      '!   log: /w/.ccp/logs/1/openstack-builder.log',
      '[keystone] blocked by openstack-builder',
    ]);
  });

  it('warns if an image differs from an earlier build of the same inputs', () => {
    expect(tell([ends({ ...built, before: digestOf('noon') } as Outcome)])[1]).toBe(
      `! warning: the bytes of debian-base differ from those stored before for the same inputs (${shortened(digestOf('noon'))}): a RUN uses time, random numbers or the order of files`,
    );
  });

  it('adds output and reused images if verbose, and prints nothing if nothing is built', () => {
    expect(
      tell(
        [
          { type: 'output', at: 0, image: built.image, text: 'Unpacking\nSetting up\n' },
          ends(reused),
        ],
        true,
      ),
    ).toEqual([
      '[debian-base]   Unpacking',
      '[debian-base]   Setting up',
      `[memcached] reused: ${shortened(digestOf('memcached'))}`,
    ]);
    expect(tell([{ ...started, build: 0, unlocked: [] } as BuildEvent, ends(reused)])).toEqual([]);
  });
});

describe('terminalReporter', () => {
  const drawn = (colour: boolean, events: readonly (readonly [number, BuildEvent])[]): string => {
    let text = '';
    let now = 0;
    const report = terminalReporter(
      { draw: (more) => (text += more), colour, verbose: false },
      { columns: 60, now: () => now },
    );
    for (const [at, event] of events) {
      now = at;
      report(event);
    }
    report({ type: 'run-finished', at: now, result });
    return text;
  };

  it('redraws the running steps below the lines that stay', () => {
    const text = drawn(false, [
      [0, { ...started, unlocked: [] } as BuildEvent],
      [500, progress(500, 0)],
      [520, progress(520, 0)],
      [12_500, ends(built)],
      [12_500, progress(12_500, 1)],
    ]);
    expect(text.split('\u001b').join('ESC')).toBe(
      [
        'building 3 of 4 images, 2 at once: about 4 min 10 s, longest chain 3 min 2 s',
        'debian-base       0.0 s  [2/3] RUN dpkg',
        '0/4 images, about 4 min 0 s left',
        'ESC[2AESC[J[debian-base] built in 12 s: sha256:45a67ba6525e, 75 MB',
        'debian-base        12 s  [2/3] RUN dpkg',
        '0/4 images, about 3 min 48 s left',
        'ESC[2AESC[J',
      ].join('\n'),
    );
  });

  it('uses colours only if enabled', () => {
    const events = [[500, progress(500, 0)]] as const;
    expect(drawn(true, events)).toContain('\u001b[1mdebian-base\u001b[22m');
    expect(drawn(false, events)).not.toMatch(/\u001b\[\d*m/);
  });
});
