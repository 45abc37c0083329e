import { expect, it } from 'vitest';
import { placedMessage, series, sha256, type CcpError } from '#core';
import type { SourceFetcher } from '#ports';
import type { PythonIndexClient } from './index-client.ts';
import { openPythonResolver } from './python-resolver.ts';

it('refuses a series whose Python differs from its suite before any request', async () => {
  const at = { file: 'images/series.yaml', line: 5, column: 13 };
  const resolver = openPythonResolver({
    index: {} as PythonIndexClient,
    cache: '/nowhere',
    scratch: '/nowhere',
    fetcher: {} as SourceFetcher,
  });
  const python3 = {
    name: 'python3',
    version: '3.13.5-1',
    architecture: 'amd64',
    sha256: sha256(''),
    size: 1,
    archive: 'debian',
    pool: 'pool/main/p/python3.deb',
  } as const;
  const asked = {
    title: 'api',
    constraints: '',
    debian: [python3],
    requirements: ['one'],
    provided: [],
    below: [],
    keep: { runtime: [], build: [] },
    note: () => undefined,
  };
  const facts = {
    name: series('lts'),
    codename: 'x',
    suite: 'trixie',
    python: '3.12',
    overrides: [],
    positions: { suite: at, python: at },
  };
  const thrown = (await resolver
    .resolve({ ...asked, series: facts })
    .catch((error: CcpError) => error)) as CcpError;
  expect(`${placedMessage(thrown)} [${thrown.hint}]`).toBe(
    'images/series.yaml:5:13: series lts sets Python 3.12, but api has Python 3.13 from Debian trixie [set python: "3.13" for lts in images/series.yaml]',
  );
});
