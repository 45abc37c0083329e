import { expect, it } from 'vitest';
import { chartArchive, entry, packed } from '../../../testing/packed-application.ts';
import { Findings } from './findings.ts';
import { readApplication } from './read-application.ts';

it('limits the size of all charts together', async () => {
  const chart = await chartArchive({ 'values.yaml': ' '.repeat(40_000) });
  const tarball = await packed(['a', 'b', 'c'].map((name) => entry(`charts/${name}.tgz`, chart)));
  const found = new Findings();
  const content = await readApplication(tarball, found, 100_000);
  expect([...content!.charts.keys()]).toEqual(['charts/a.tgz', 'charts/b.tgz']);
  expect(found.all.map(({ rule, path }) => `${rule} ${path}`)).toEqual(['unpack charts/c.tgz']);
});
