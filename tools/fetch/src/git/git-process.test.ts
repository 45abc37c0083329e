import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureMirror } from './git-process.ts';

it("restores a mirror's configuration, which could make git run programs", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-mirror-'));
  const mirror = join(folder, 'mirror');
  await ensureMirror(mirror);
  const textOf = (name: string): string => readFileSync(join(mirror, name), 'utf8');
  const [config, attributes] = [textOf('config'), textOf('info/attributes')];
  writeFileSync(join(mirror, 'config'), `${config}[core]\n\tfsmonitor = touch /tmp/ran\n`);
  rmSync(join(mirror, 'info/attributes'));
  symlinkSync('/etc/hostname', join(mirror, 'info/attributes'));
  writeFileSync(join(mirror, 'home/.gitconfig'), '[core]\n\thooksPath = /tmp\n');
  await ensureMirror(mirror);
  expect([textOf('config'), textOf('info/attributes'), readdirSync(join(mirror, 'home'))]).toEqual([
    config,
    attributes,
    [],
  ]);
});
