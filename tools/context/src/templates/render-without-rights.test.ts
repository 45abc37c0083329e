import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';

const root = realpathSync(fileURLToPath(new URL('../../../..', import.meta.url)));

it('renders in a process that may only read files and cannot generate code', () => {
  const definition = sampleImage({
    'sample/Dockerfile.njk':
      'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n{% import "_shared/m.njk" as m %}\nRUN {{ m.run(["a", "b"]) | upper }}\n',
    '_shared/m.njk': '{% macro run(list) %}echo {{ list | join(" ") }}{% endmacro %}\n',
  });
  const request = { definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY };
  const program = `
    const { renderDockerfile } = await import(${JSON.stringify(new URL('render-dockerfile.ts', import.meta.url).href)});
    let generated = 'yes';
    try { Function('return 1') } catch { generated = 'no' }
    console.log(JSON.stringify({ text: renderDockerfile(${JSON.stringify(request)}), generated }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--permission',
      `--allow-fs-read=${root}/*`,
      `--allow-fs-read=${realpathSync(dirname(dirname(definition.folder)))}/*`,
      '--disallow-code-generation-from-strings',
      '--input-type=module',
      '-e',
      program,
    ],
    { cwd: root, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    text: 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nRUN ECHO A B\n',
    generated: 'no',
  });
});
