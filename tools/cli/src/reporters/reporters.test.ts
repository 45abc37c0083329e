import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { BuildEvent, BuildResult, Outcome } from '#build';
import { digestOf, imageName, platform, series, sha256, type Fingerprint } from '#core';
import { buildTable } from './build-table.ts';
import { liveScreen } from './live-screen.ts';
import { plainReporter } from './plain.ts';
import { terminalReporter } from './terminal.ts';
import { durationText, oneLine, shortened, sizeText, takeBack } from './text.ts';

const base = (name: string) => ({ image: imageName(name), fingerprint: sha256(name) as string as Fingerprint, version: `2026.1-${sha256(name).slice(0, 32)}` });
const stored = (name: string, size: number) => ({
  ...base(name),
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  contentKey: sha256(`key ${name}`),
  digest: digestOf(name),
  size,
  compressedSize: size / 3,
});
const built: Outcome = {
  ...base('debian-base'),
  type: 'built',
  stored: stored('debian-base', 75_100_000),
  seconds: 12.34,
  log: '/w/.ccp/logs/1/debian-base.log',
  engine: 'local',
  unlocked: false,
};
const reused: Outcome = { ...base('memcached'), type: 'reused', stored: stored('memcached', 80_000_000) };
const failed: Outcome = {
  ...base('openstack-builder'),
  type: 'failed',
  seconds: 65,
  log: '/w/.ccp/logs/1/openstack-builder.log',
  engine: 'local',
  lastLines: ['make: no rule'],
  fault: { code: 'build-failed', message: 'step "[1/2] RUN make" failed with exit code 2\nmake: no rule', hint: 'see the log' },
};
const blocked: Outcome = { ...base('keystone'), type: 'blocked', by: [imageName('openstack-builder')] };
const result: BuildResult = {
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  outcomes: [built, reused, failed, blocked],
  complete: false,
  cancelled: false,
  seconds: 77.4,
};
const started: BuildEvent = { type: 'run-started', at: 0, total: 4, build: 3, slots: 2, estimate: 250, criticalPath: 182, unlocked: [imageName('keystone')] };
const step = (at: number, name: string): BuildEvent => ({ type: 'step', at, image: built.image, name, state: 'started' });
const progress = (at: number, done: number): BuildEvent => ({
  type: 'progress',
  at,
  done,
  total: 4,
  eta: 240,
  running: [{ image: built.image, step: '[2/3] RUN \u001b[31mdpkg\u001b[0m', since: 0 }],
});
const ends = (outcome: Outcome): BuildEvent => ({ type: 'image-finished', at: 0, outcome });

describe('text', () => {
  it.each([
    [0.44, '0.4 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [250, '4 min 10 s'],
    [3725, '1 h 2 min'],
  ])('writes %d s as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it.each([
    [1, '1 kB'],
    [75_100_000, '75 MB'],
    [1_240_000_000, '1.2 GB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it('shortens digests and versions, and lines to one clean line', () => {
    expect(shortened(digestOf('a'))).toBe('sha256:ca978112ca1b');
    expect(shortened('2026.1-0123456789abcdef0123456789abcdef')).toBe('2026.1-0123456789ab');
    expect(oneLine('a\n\u001b[31mb', 20)).toBe('a b');
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });

  it('takes back as many rows as lines have on a terminal that has become narrower', () => {
    expect(takeBack(['', '\u001b[1mabcdef\u001b[22m', 'abc'], 3)).toBe('\u001b[4A\u001b[J');
    expect(takeBack([], 80)).toBe('');
  });
});

describe('liveScreen', () => {
  const open = (columns: number, rows: number) => {
    let text = '';
    const tty = Object.assign(new EventEmitter(), { columns, rows, write: (more: string) => void (text += more) });
    const screen = liveScreen(tty);
    /** The rows of the last drawing. */
    const drawn = (): string[] =>
      text
        .split('\u001b[H')
        .at(-1)!
        .replace('\u001b[J', '')
        .split('\u001b[K')
        .map((line) => line.replace('\r\n', ''))
        .slice(0, -1);
    return { tty, screen, drawn, text: () => text };
  };

  it('wraps what is wider than the terminal, and draws again when its size changes', () => {
    const { tty, screen, drawn } = open(30, 10);
    screen.show(['  x web  its image is\u001b[31m nowhere to be found', 'y'.repeat(35)], []);
    expect(drawn()).toEqual(['  x web  its image is nowhere', '        to be found', 'y'.repeat(30), '        yyyyy']);
    tty.columns = 50;
    tty.emit('resize');
    expect(drawn()).toEqual(['  x web  its image is nowhere to be found', 'y'.repeat(35)]);
  });

  it('shows the brief lines where all have no room, and the last one always', () => {
    const { screen, drawn } = open(20, 4);
    screen.show(['1', '2', '3', '4', '5'], ['1', 'all']);
    expect(drawn()).toEqual(['1', 'all']);
    screen.show(['1', '2', '3', '4', '5'], ['1', '2', '3', '4', 'all']);
    expect(drawn()).toEqual(['1', '2', '  … and 2 lines more', 'all']);
  });

  it('gives the terminal back, and draws no more', () => {
    const { tty, screen, text } = open(20, 4);
    screen.show(['1'], []);
    screen.close();
    const before = text();
    tty.emit('resize');
    expect([text() === before, before.startsWith('\u001b[?1049h'), before.endsWith('\u001b[?1049l')]).toEqual([true, true, true]);
  });
});

describe('plainReporter', () => {
  const tell = (events: readonly BuildEvent[], verbose = false): readonly string[] => {
    const lines: string[] = [];
    const report = plainReporter({ info: (text) => lines.push(text), warn: (text) => lines.push(`! ${text}`), verbose });
    events.forEach(report);
    return lines;
  };

  it('tells a run line by line', () => {
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
        { type: 'log-lost', at: 0, image: built.image, message: 'cannot write a.log: the disk is full' },
        progress(1, 0),
        ...[built, reused, failed, blocked].map(ends),
      ]),
    ).toEqual([
      '! building 3 of 4 images, 2 at once: about 4 min 10 s, longest chain 3 min 2 s',
      '! warning: the steps of keystone have a network, since its definition says unlocked: true',
      '[debian-base] [1/3] COPY',
      '! [debian-base] the engine local cut the stream; trying again in 1.2 s',
      '! warning: the log of debian-base is not whole: cannot write a.log: the disk is full',
      '[debian-base] built in 12 s: sha256:45a67ba6525e, 75 MB',
      '! [openstack-builder] failed after 1 min 5 s: step "[1/2] RUN make" failed with exit code 2',
      '!   make: no rule',
      '!   -> see the log',
      '!   log: /w/.ccp/logs/1/openstack-builder.log',
      '[keystone] blocked by openstack-builder',
    ]);
  });

  it('warns of an image that the same inputs made of other bytes before', () => {
    expect(tell([ends({ ...built, before: digestOf('noon') } as Outcome)])[1]).toBe(
      `! warning: the bytes of debian-base differ from those stored before for the same inputs (${shortened(digestOf('noon'))}): a RUN uses time, random numbers or the order of files`,
    );
  });

  it('adds output and reused images where verbose, and says nothing where nothing is built', () => {
    expect(tell([{ type: 'output', at: 0, image: built.image, text: 'Unpacking\nSetting up\n' }, ends(reused)], true)).toEqual([
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
    const report = terminalReporter({ draw: (more) => (text += more), colour, verbose: false }, { columns: 60, now: () => now });
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

  it('uses colours only where they are wanted', () => {
    const events = [[500, progress(500, 0)]] as const;
    expect(drawn(true, events)).toContain('\u001b[1mdebian-base\u001b[22m');
    expect(drawn(false, events)).not.toMatch(/\u001b\[\d*m/);
  });
});

describe('buildTable', () => {
  it('has a line for each image, the counts, what failed, and the logs', () => {
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
      message: ['the tests found 10 faults:', ...Array.from({ length: 10 }, (_, index) => `- ${index + 1}`)].join('\n'),
    };
    const lines = buildTable({ result: { ...result, outcomes: [{ ...failed, fault }] }, logs: '.ccp/logs/1' })
      .split('\n')
      .slice(3);
    expect(lines).toEqual([
      '1 image in 1 min 17 s: 1 failed',
      'openstack-builder: the tests found 10 faults:',
      '  (2 lines more in the log)',
      ...[3, 4, 5, 6, 7, 8, 9, 10].map((index) => `  - ${index}`),
      'logs: .ccp/logs/1',
      'the image set stays as it was',
    ]);
  });

  it('tells why no set was written', () => {
    const setFault = { code: 'machine-disk', message: 'cannot write .ccp/sets/1.json: the disk is full', hint: 'free space' };
    expect(buildTable({ result, logs: '.ccp/logs/1', setFault }).split('\n').slice(-2)).toEqual([
      'the image set stays as it was: cannot write .ccp/sets/1.json: the disk is full',
      '  -> free space',
    ]);
  });

  it('names no logs where nothing was built', () => {
    const complete = { ...result, outcomes: [reused], complete: true, seconds: 0.2 };
    const set = { images: 1, left: [], missing: [] };
    expect(buildTable({ result: complete, logs: '.ccp/logs/1', imageSet: '.ccp/sets/1.json', set }).split('\n').slice(-2)).toEqual([
      '1 image in 0.2 s: 1 reused',
      'image set: .ccp/sets/1.json (1 image)',
    ]);
  });
});
