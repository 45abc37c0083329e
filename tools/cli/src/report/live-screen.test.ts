import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import { colourSign } from './colour.ts';
import { liveScreen } from './live-screen.ts';
import { durationText, oneLine, shortened, sizeText, eraseLines } from './text.ts';

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

  it('erases the rows that lines occupy on a narrower terminal', () => {
    expect(eraseLines(['', '\u001b[1mabcdef\u001b[22m', 'abc'], 3)).toBe('\u001b[4A\u001b[J');
    expect(eraseLines([], 80)).toBe('');
  });
});

describe('liveScreen', () => {
  const open = (columns: number, rows: number) => {
    let text = '';
    const tty = Object.assign(new EventEmitter(), {
      columns,
      rows,
      write: (more: string) => void (text += more),
    });
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

  it('wraps lines wider than the terminal and redraws them on resize', () => {
    const { tty, screen, drawn } = open(30, 10);
    screen.show(['  x web  its image is\u001b[31m nowhere to be found', 'y'.repeat(35)], []);
    expect(drawn()).toEqual([
      '  x web  its image is nowhere',
      '        to be found',
      'y'.repeat(30),
      '        yyyyy',
    ]);
    tty.columns = 50;
    tty.emit('resize');
    expect(drawn()).toEqual(['  x web  its image is nowhere to be found', 'y'.repeat(35)]);
  });

  it('shows the brief lines if not all fit, and always the last line', () => {
    const { screen, drawn } = open(20, 4);
    screen.show(['1', '2', '3', '4', '5'], ['1', 'all']);
    expect(drawn()).toEqual(['1', 'all']);
    screen.show(['1', '2', '3', '4', '5'], ['1', '2', '3', '4', 'all']);
    expect(drawn()).toEqual(['1', '2', '  … and 2 lines more', 'all']);
  });

  it('colours rows after they are wrapped', () => {
    let text = '';
    const tty = Object.assign(new EventEmitter(), {
      columns: 20,
      rows: 4,
      write: (more: string) => void (text += more),
    });
    const screen = liveScreen(tty, colourSign);
    screen.show(['  x web  its image is missing'], []);
    screen.close();
    expect(text).toContain(
      '\u001b[H  \u001b[31mx\u001b[39m web  its image\u001b[K\r\n        is missing\u001b[K',
    );
  });

  it('restores the terminal and stops drawing', () => {
    const { tty, screen, text } = open(20, 4);
    screen.show(['1'], []);
    screen.close();
    const before = text();
    tty.emit('resize');
    expect([
      text() === before,
      before.startsWith('\u001b[?1049h'),
      before.endsWith('\u001b[?1049l'),
    ]).toEqual([true, true, true]);
  });
});
