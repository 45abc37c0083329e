import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import { memoryMemo } from '#ports/testing';
import { describeInputs } from './listing/describe-inputs.ts';
import * as templates from './templates/nunjucks-ast.ts';
import {
  AMD64,
  SAMPLE_COMMIT,
  sampleImage,
  SAMPLE_SUMMARY,
  TRIXIE_SERIES,
} from './testing/image-folder.ts';

const DOCKERFILE = 'FROM scratch\n';

const FILES = {
  'sample/Dockerfile.njk': DOCKERFILE,
  'sample/files/etc/b.conf': 'b',
  'sample/files/etc/a': 'a',
  'sample/files/etc-d': 'd',
};

function describeSample(definition: ImageDefinition, memo = memoryMemo()) {
  return describeInputs({
    definition,
    series: TRIXIE_SERIES,
    platform: AMD64,
    origin: 'git',
    summary: SAMPLE_SUMMARY,
    memo,
  });
}

describe('describeInputs', () => {
  it('names every input by its kind', () => {
    expect(describeSample(sampleImage(FILES, { args: { a: 'b' } }))).toEqual({
      image: 'sample',
      series: '2026.1',
      platform: 'linux/amd64',
      dockerfile: sha256(DOCKERFILE),
      files: [
        { path: 'etc', type: 'directory' },
        { path: 'etc-d', type: 'file', executable: false, sha256: sha256('d') },
        { path: 'etc/a', type: 'file', executable: false, sha256: sha256('a') },
        { path: 'etc/b.conf', type: 'file', executable: false, sha256: sha256('b') },
      ],
      debian: SAMPLE_SUMMARY.debian,
      python: SAMPLE_SUMMARY.python,
      sources: { sample: `git:${SAMPLE_COMMIT}` },
      args: { a: 'b' },
      labels: {
        'org.opencontainers.image.title': 'Sample',
        'org.opencontainers.image.description': 'An image\nfor tests.',
        'org.opencontainers.image.source': SAMPLE_SUMMARY.sources['sample']!.repository,
        'org.opencontainers.image.revision': SAMPLE_COMMIT,
        'org.opencontainers.image.version': SAMPLE_SUMMARY.sources['sample']!.version,
        'ccp.source.sample': `${SAMPLE_SUMMARY.sources['sample']!.repository}@${SAMPLE_COMMIT}`,
      },
      unlocked: false,
    });
  });

  it('uses the published archive if the origin says so and one exists', () => {
    const definition = sampleImage(FILES);
    const { archive, ...source } = SAMPLE_SUMMARY.sources['sample']!;
    const request = {
      definition,
      series: TRIXIE_SERIES,
      platform: AMD64,
      origin: 'archive',
      memo: memoryMemo(),
    } as const;
    expect(describeInputs({ ...request, summary: SAMPLE_SUMMARY }).sources).toEqual({
      sample: `archive:${archive}`,
    });
    expect(
      describeInputs({ ...request, summary: { ...SAMPLE_SUMMARY, sources: { sample: source } } })
        .sources,
    ).toEqual({ sample: `git:${SAMPLE_COMMIT}` });
  });

  it('renders once, and again when the template, a shared template or a value changes', () => {
    const load = vi.spyOn(templates, 'parseNunjucks');
    const definition = sampleImage(
      {
        ...FILES,
        '_shared/m.njk': '{% macro m() %}x{% endmacro %}',
        'sample/Dockerfile.njk': 'FROM scratch\nENV A={{ args.a }}\n',
      },
      { args: { a: '1' } },
    );
    const memo = memoryMemo();
    const first = describeSample(definition, memo);
    expect(load).toHaveBeenCalled();
    load.mockClear();
    expect(describeSample(definition, memo)).toEqual(first);
    expect(load).not.toHaveBeenCalled();
    expect(describeSample({ ...definition, args: { a: '2' } }, memo).dockerfile).toBe(
      sha256('FROM scratch\nENV A=2\n'),
    );
    writeFileSync(join(definition.folder, 'Dockerfile.njk'), 'FROM scratch\nENV B={{ args.a }}\n');
    expect(describeSample(definition, memo).dockerfile).toBe(sha256('FROM scratch\nENV B=1\n'));
    load.mockClear();
    writeFileSync(join(definition.folder, '../_shared/m.njk'), '{% macro n() %}x{% endmacro %}');
    describeSample(definition, { ...memo });
    expect(load).toHaveBeenCalled();
  });

  it("renders again when a template next to the image's own changes", () => {
    const main = '{% import "parts.njk" as parts %}FROM scratch\nENV A={{ parts.a() }}\n';
    const definition = sampleImage({
      'sample/Dockerfile.njk': main,
      'sample/parts.njk': '{% macro a() %}1{% endmacro %}',
    });
    const memo = memoryMemo();
    expect(describeSample(definition, memo).dockerfile).toBe(sha256('FROM scratch\nENV A=1\n'));
    writeFileSync(join(definition.folder, 'parts.njk'), '{% macro a() %}2{% endmacro %}');
    expect(describeSample(definition, memo).dockerfile).toBe(sha256('FROM scratch\nENV A=2\n'));
  });
});
