import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EngineBuildEvent } from '#ports';
import { buildProgress } from './build-progress.ts';
import { readTrace } from './build-trace.ts';
import { readJsonLines } from './json-lines.ts';
import { readFields } from './protobuf.ts';

/**
 * Response of Engine 20.10 to `RUN echo "zwölf ✓"; sleep 0.25; exit 7`, from its second step on.
 */
const recorded = new URL('testing/failed-build.jsonl', import.meta.url);

describe('a recorded build', () => {
  it('reports each step once, and the failure of the last one', async () => {
    const events: EngineBuildEvent[] = [];
    const progress = buildProgress((event) => events.push(event));
    for await (const message of readJsonLines(createReadStream(recorded, { highWaterMark: 7 }))) {
      if (typeof message['aux'] === 'string')
        progress.take(readTrace(Buffer.from(message['aux'], 'base64')));
    }
    const lines = events.map((event) =>
      event.type === 'output' ? `  ${event.text}` : `${event.name}: ${event.state}`,
    );
    expect(lines.join('\n')).toBe(`copy /context /: started
copy /context /: cached
[1/2] COPY root/ /: started
[1/2] COPY root/ /: cached
[2/2] RUN echo "zwölf ✓"; sleep 0.25; exit 7: started
  zwölf ✓

[2/2] RUN echo "zwölf ✓"; sleep 0.25; exit 7: failed`);
    const failed = events.at(-1);
    expect(failed?.type === 'step' && failed.took).toBeGreaterThan(250);
    expect(failed?.type === 'step' && failed.took).toBeLessThan(2000);
    expect(progress.failedStep()).toEqual({
      name: '[2/2] RUN echo "zwölf ✓"; sleep 0.25; exit 7',
      error:
        'executor failed running [/bin/sh -c echo "zwölf ✓"; sleep 0.25; exit 7]: exit code: 7',
      lines: ['zwölf ✓'],
    });
  });
});

describe('buildProgress', () => {
  it('keeps the last 20 lines of a step, and joins split characters', () => {
    let text = '';
    const progress = buildProgress((event) => {
      text += event.type === 'output' ? event.text : '';
    });
    const bytes = Buffer.from(
      Array.from({ length: 30 }, (_, index) => `ü${index}\n`).join('') + 'open',
    );
    for (const byte of bytes)
      progress.take({ vertexes: [], logs: [{ vertex: 'a', bytes: Buffer.from([byte]) }] });
    progress.take({
      vertexes: [
        {
          digest: 'a',
          name: 'RUN',
          cached: false,
          started: 1,
          completed: 2,
          error: 'exit code: 1',
        },
      ],
      logs: [],
    });
    expect(text).toBe(bytes.toString());
    expect(progress.failedStep()?.lines).toEqual([
      ...Array.from({ length: 19 }, (_, index) => `ü${index + 11}`),
      'open',
    ]);
  });

  it('reports the step that failed, not one stopped because of it', () => {
    const progress = buildProgress(() => undefined);
    const vertex = { cached: false, started: 1, completed: 2 };
    progress.take({
      vertexes: [
        { ...vertex, digest: 'a', name: 'stopped', error: 'context canceled' },
        { ...vertex, digest: 'b', name: 'broken', error: 'exit code: 1' },
      ],
      logs: [],
    });
    expect(progress.failedStep()?.name).toBe('broken');
  });
});

describe('readFields', () => {
  it.each([
    [
      'every wire type',
      [0x08, 0x96, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a, 2, 0x61, 0x62, 0x25, 9, 9, 9, 9],
      [
        [1, 150n],
        [2, 8],
        [3, 2],
        [4, 4],
      ],
    ],
    ['nothing', [], []],
  ])('reads %s', (_, bytes, fields) => {
    const read = [...readFields(Uint8Array.from(bytes))].map(({ number, value }) => [
      number,
      typeof value === 'bigint' ? value : value.length,
    ]);
    expect(read).toEqual(fields);
  });

  it.each([
    ['a field past the end', [0x0a, 5, 1], 'a protobuf field is longer than its message'],
    ['an incomplete varint', [0x08, ...Array(11).fill(0xff)], 'a protobuf varint is incomplete'],
    ['a group', [0x0b], 'unknown protobuf wire type 3'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => [...readFields(Uint8Array.from(bytes))]).toThrow(message);
  });
});
