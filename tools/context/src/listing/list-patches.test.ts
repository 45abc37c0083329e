import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { omitUndefined, sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import { memoryMemo } from '#ports/testing';
import {
  AMD64,
  SAMPLE_LOCK,
  sampleImage,
  SAMPLE_SUMMARY,
  TRIXIE_SERIES,
} from '../testing/image-folder.ts';
import { describeInputs } from './describe-inputs.ts';
import { listContext } from './list-context.ts';
import { renderDockerfile } from '../templates/render-dockerfile.ts';

const FILES = {
  'sample/Dockerfile.njk': 'FROM scratch\n',
  'sample/patches/z.patch': 'z',
  'sample/patches/a.patch': 'a',
  'sample/patches/old.patch': 'old',
};

/** The sample with the patches z, old (of another series) and a. */
function patched(): ImageDefinition {
  const definition = sampleImage(FILES);
  const patch = (value: string, series?: readonly string[]) => ({
    value,
    path: join(definition.folder, 'patches', value),
    at: { file: 'image.yaml' },
    ...omitUndefined({ series }),
  });
  const patches = [patch('z.patch'), patch('old.patch', ['2025.2']), patch('a.patch', ['2026.1'])];
  return { ...definition, sources: { sample: { ...definition.sources['sample']!, patches } } };
}

function describeSample(definition: ImageDefinition) {
  return describeInputs({
    definition,
    series: TRIXIE_SERIES,
    platform: AMD64,
    origin: 'git',
    summary: SAMPLE_SUMMARY,
    memo: memoryMemo(),
  });
}

it('lists the patches of the series in order, by content', () => {
  expect(describeSample(patched()).patches).toEqual({
    'sample.patches/001-z.patch': sha256('z'),
    'sample.patches/002-a.patch': sha256('a'),
  });
  expect(describeSample(sampleImage(FILES))).not.toHaveProperty('patches');
});

it('adds them to the folder of the source, and refuses a patch that changed since the plan', () => {
  const definition = patched();
  const inputs = describeSample(definition);
  const request = {
    definition,
    series: TRIXIE_SERIES,
    lock: SAMPLE_LOCK,
    origin: 'git',
    dockerfile: 'FROM scratch\n',
  } as const;
  const listed = listContext({ ...request, inputs }).filter(({ path }) =>
    path.startsWith('.inputs/sources/sample.patches'),
  );
  expect(listed.map(({ path }) => path)).toEqual([
    '.inputs/sources/sample.patches',
    '.inputs/sources/sample.patches/001-z.patch',
    '.inputs/sources/sample.patches/002-a.patch',
  ]);
  const { patches: _, ...without } = inputs;
  const refused = expect.objectContaining({
    code: 'file-changed',
    message: 'the patches of sample changed since the plan was made',
    at: { file: 'images/sample/patches/z.patch' },
  });
  expect(() => listContext({ ...request, inputs: without })).toThrow(refused);
  writeFileSync(join(definition.folder, 'patches/z.patch'), 'other');
  expect(() => listContext({ ...request, inputs })).toThrow(refused);
});

it('finds templates of an added image in its own workspace, then in the base', () => {
  const definition = sampleImage({
    'sample/Dockerfile.njk':
      '{% import "_shared/a.njk" as a %}{% import "_shared/b.njk" as b %}FROM scratch\nENV A={{ a.m() }}{{ b.m() }}\n',
  });
  const [own, base] = ['_shared', '../base/_shared'].map((folder) =>
    join(definition.folder, '..', folder),
  ) as [string, string];
  const macro = (folder: string, name: string, text: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), `{% macro m() %}${text}{% endmacro %}`);
  };
  macro(own, 'a.njk', 'own');
  macro(base, 'a.njk', 'base');
  macro(base, 'b.njk', 'base');
  const layers = { root: dirname(dirname(definition.folder)), locks: [], shared: [own, base] };
  expect(
    renderDockerfile({
      definition: { ...definition, layers },
      series: TRIXIE_SERIES,
      summary: SAMPLE_SUMMARY,
    }),
  ).toBe('FROM scratch\nENV A=ownbase\n');
});
