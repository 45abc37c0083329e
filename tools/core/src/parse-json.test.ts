import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { parseJson } from './parse-json.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('parseJson', () => {
  it.each([
    'null',
    '"[[[["',
    '{"a\\"[":"\\\\","b":[{}]}',
    nested(256),
    `[${'"[{\\"",'.repeat(1000)}0]`,
    `[${'[],{},'.repeat(1000)}0]`,
  ])('reads %j', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('refuses what recursive code could not read', () => {
    const message = 'it has lists or objects nested deeper than 256 levels';
    expect(() => parseJson(nested(257))).toThrow(message);
    expect(() => parseJson(`{"a":"]]","b":${nested(1_000_000)}}`)).toThrow(message);
  });

  it('reads a text of 20 MB without a deep stack', () => {
    const text = 'x'.repeat(20_000_000);
    const started = cpuMs();
    expect(parseJson(JSON.stringify({ text }))).toEqual({ text });
    expect(cpuMs() - started).toBeLessThan(2000);
  });
});
