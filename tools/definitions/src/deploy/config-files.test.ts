import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { readAppSpecs } from './index.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-config-files-'));
const app = join(root, 'images/web/app.yaml');
mkdirSync(join(root, 'images/web/config/parts'), { recursive: true });
writeFileSync(join(root, 'images/web/config/parts/start.sh'), 'echo ${not-a-reference}\n');
afterAll(() => rmSync(root, { recursive: true, force: true }));

function read(config: string) {
  writeFileSync(
    app,
    `schema: 1.7.0
title: Web
user: { uid: 1, gid: 1 }
config:
  ${config}
workloads:
  web: { kind: DaemonSet, role: control-plane, grace: 30, containers: { main: { command: [serve], resources: {} } } }
`,
  );
  return readAppSpecs(root).get('web')!.config;
}

function findings(config: string): string[] {
  try {
    read(config);
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(
      ({ at, message, hint }) => `${formatPosition(at!)} ${message}${hint ? ` (${hint})` : ''}`,
    );
  }
  throw new Error('nothing was raised');
}

describe('a configuration layer from a file', () => {
  it('contains the text of the file in the folder config', () => {
    expect(read('start.sh: { format: text, layers: [{ file: parts/start.sh }] }')).toEqual({
      'start.sh': { format: 'text', layers: [{ content: 'echo ${not-a-reference}\n' }] },
    });
  });

  it.each([
    [
      'a missing file',
      'a: { format: text, layers: [{ file: start.sh }] }',
      'images/web/app.yaml:5:31 "a" refers to config/start.sh, which does not exist (create the file in the folder config next to the app spec)',
    ],
    [
      'a file and content',
      'a: { format: text, layers: [{ file: parts/start.sh, content: x }] }',
      'images/web/app.yaml:5:31 the layer of "a" must have either "content" or "file" (set one of the two)',
    ],
    [
      'neither',
      'a: { format: text, layers: [{}] }',
      'images/web/app.yaml:5:31 the layer of "a" must have either "content" or "file" (set one of the two)',
    ],
    [
      'another format',
      'a: { format: yaml, layers: [{ file: parts/start.sh }] }',
      'images/web/app.yaml:5:31 "a" has format yaml, but "file" requires format text (write the layer as "content")',
    ],
  ])('refuses %s', (_, config, finding) => {
    expect(findings(config)).toEqual([finding]);
  });
});
