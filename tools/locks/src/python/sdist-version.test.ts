import { expect, it } from 'vitest';
import { sdistVersion } from './sdist-version.ts';

it.each([
  ['oslo-db', 'oslo.db-18.0.0.tar.gz', '18.0.0'],
  ['oslo-db', 'oslo_db-18.0.0.tar.gz', '18.0.0'],
  ['oslo', 'oslo-db-18.0.0.tar.gz', undefined],
  ['x', 'x-1.zip', '1'],
  ['x', 'x-1.tar.bz2', undefined],
])('finds the version of %s in %s: %s', (project, file, version) => {
  expect(sdistVersion(project, file)).toBe(version);
});
