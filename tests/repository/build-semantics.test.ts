import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { listContext, renderDockerfile, writeContext } from '#context';
import { sha256, SOURCE_DATE_EPOCH } from '#core';
import { openCache, openGitSources } from '#fetch';
import { BUILD_SEMANTICS } from '#plan';
import { RENDERER_VERSION } from '../../tools/context/src/templates/render-dockerfile.ts';
import {
  SAMPLE_LOCK,
  sampleImage,
  SAMPLE_SUMMARY,
  TRIXIE_SERIES,
} from '../../tools/context/src/testing/image-folder.ts';
import { seedOf } from '../../tools/fetch/src/debian/seed.ts';
import { testRepository } from '../../tools/fetch/src/testing/git-repository.ts';
import { sampleDeb } from '../../tools/fetch/src/testing/sample-deb.ts';
import { readStream } from '../../tools/formats/src/testing/tar-list.ts';
import { normaliseLayer } from '../../tools/store/src/normalise/normalise-layer.ts';
import { NORMALISER_VERSION } from '../../tools/store/src/normalise/normaliser-version.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';

/**
 * The bytes of this version of the build semantics: the same inputs give these bytes.
 */
const GOLDEN = {
  semantics: 3,
  normaliser: 3,
  epoch: 1_767_225_600,
  layer: 'sha256:fa1c53b0f3a2dddaf1e651f6a85f3e939f5bd5a46cbc34319006ef9551899ade',
  packedLayer: 'sha256:8ef9205e661ce931a4fe12ea5ea9a232ddbc7e8b15318146fb2ce0bfa92cfb64',
  seed: '90530c575f358ba47c431c2f85e4c3da2ea3bbfb235eeafc8f005b1f5a8926b3',
  commit: 'f72b67b56663ec19fd2f844082202d2aeaf42e916cd32cf0f12d2374a811224d',
  context: 'c395006e2ba36ed778af18998e3d42dd95eefadd66b7b4d6e32bf33cfb69573a',
  dockerfile: '2963323c050fde239fdd8fc253da93ceeeb29f5ea9ec7621be385f974029fb87',
};
const RAISE = 'raise BUILD_SEMANTICS in tools/plan/src/fingerprint.ts and update the golden digest';

const folder = mkdtempSync(join(tmpdir(), 'ccp-semantics-'));
const cache = openCache({ folder: join(folder, 'cache') });
afterAll(() => rmSync(folder, { recursive: true }));

const root = fileURLToPath(new URL('../..', import.meta.url));
const TEMPLATE = `{% import "_shared/m.njk" as m %}{{ m.parent(parents.base) }}
{#- a comment #}
COPY files/ /
{% for name, stage in debian %}LABEL {{ name }}="{{ series.suite | upper }}"
{% endfor %}{% if image.user %}USER {{ image.user.uid }}:{{ image.user.gid }}{% endif %}
`;
const MACROS =
  '{% macro parent(reference) %}ARG {{ reference | replace("${", "") | replace("}", "") }}\nFROM {{ reference }}{% endmacro %}';

it('has the numbers and the time that belong together', () => {
  expect(
    { semantics: BUILD_SEMANTICS, normaliser: NORMALISER_VERSION, epoch: SOURCE_DATE_EPOCH },
    RAISE,
  ).toEqual({
    semantics: GOLDEN.semantics,
    normaliser: GOLDEN.normaliser,
    epoch: GOLDEN.epoch,
  });
});

it('writes the same bytes for a normalised layer', async () => {
  const [input, output] = [join(folder, 'layer.in'), join(folder, 'layer.out')];
  // Long enough for compression to have choices to make; the numbers are Park and Miller's.
  let seed = 1;
  const text = Array.from(
    { length: 30_000 },
    () => `${(seed = (seed * 16_807) % 2_147_483_647) % 977}`,
  ).join(' ');
  const tar = fixtureTar([
    { name: 'usr', type: 'directory', mode: 0o755 },
    {
      name: 'usr/text',
      type: 'file',
      content: text,
      mtime: 1_900_000_000,
      uid: 42,
      owner: 'someone',
      xattrs: { 'user.a': 'y' },
    },
    { name: 'usr/link', type: 'link', target: 'usr/text' },
    { name: 'usr/ünï', type: 'symlink', target: 'text' },
    { name: 'usr/.wh.gone', type: 'file' },
    { name: 'usr/ping', type: 'file', xattrs: { 'user.b': 'x' } },
    { name: 'etc/keep-', type: 'file' },
    { name: 'etc/passwd-', type: 'file' },
    { name: 'var/log/dpkg.log', type: 'file', content: 'today' },
  ]);
  writeFileSync(input, tar);
  const { diffId, digest } = await normaliseLayer({ input, output, limit: 1 << 26 });
  expect({ layer: diffId, packedLayer: digest }, RAISE).toEqual({
    layer: GOLDEN.layer,
    packedLayer: GOLDEN.packedLayer,
  });
});

it('writes the same bytes for a seed', async () => {
  const common = { mode: 0o755, uid: 0, gid: 0, size: 0, mtime: SOURCE_DATE_EPOCH } as const;
  const one = await sampleDeb([
    { header: { ...common, type: 'directory', path: './bin' } },
    {
      header: { ...common, type: 'file', path: './bin/sh', mode: 0o4755, size: 2 },
      data: [Buffer.from('sh')],
    },
  ]);
  const two = await sampleDeb([
    { header: { ...common, type: 'symlink', path: './usr/bin/dash', target: 'sh', mode: 0o777 } },
  ]);
  const debs = [(await cache.put([one])).sha256, (await cache.put([two])).sha256];
  expect((await seedOf(cache, debs)).sha256, RAISE).toBe(GOLDEN.seed);
});

it('writes the same bytes for the tar of a commit', async () => {
  const repository = testRepository();
  const source = {
    url: repository.url,
    commit: repository.commit({ 'a/b.txt': 'text', c: '' }),
    submodules: [],
  };
  const fetcher = openGitSources({ folder: join(folder, 'git') });
  await fetcher.fetch(source);
  expect(sha256(await readStream(fetcher.archive(source))), RAISE).toBe(GOLDEN.commit);
});

it('writes the same bytes for a context', async () => {
  for (const name of [
    'zlib1g_1.3_amd64.deb',
    'pbr-7.0-py2.py3-none-any.whl',
    'uwsgi-2.0.31.tar.gz',
    'sample-1.0.0.tar.gz',
  ])
    await cache.put([Buffer.from(name)]);
  const definition = sampleImage({ 'sample/files/etc/sample.conf': '[DEFAULT]\n' });
  const entries = listContext({
    definition,
    series: TRIXIE_SERIES,
    lock: SAMPLE_LOCK,
    origin: 'archive',
    dockerfile: 'FROM scratch\n',
  });
  expect(sha256(await readStream(writeContext(entries, cache))), RAISE).toBe(GOLDEN.context);
});

it('renders the same bytes for a Dockerfile', () => {
  const definition = sampleImage({ 'sample/Dockerfile.njk': TEMPLATE, '_shared/m.njk': MACROS });
  const text = renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY });
  expect(text).toMatch(/^ARG CCP_PARENT_BASE\nFROM \$\{CCP_PARENT_BASE\}\n/);
  expect(sha256(text), `${RAISE}; raise RENDERER too, or remembered renderings stay`).toBe(
    GOLDEN.dockerfile,
  );
});

it('renders with the version of nunjucks in package.json', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(
    RENDERER_VERSION.split(',')[0],
    `name the new version in RENDERER (tools/context/src/templates/render-dockerfile.ts); where what templates render to changes, ${RAISE}`,
  ).toBe(`nunjucks ${dependencies['nunjucks']}`);
});

it('passes the time of builds to build tools in macros', () => {
  const macros = readFileSync(join(root, 'images/_shared/macros.njk'), 'utf8');
  expect([...macros.matchAll(/SOURCE_DATE_EPOCH=(\S+)/g)].map(([, time]) => time)).toEqual([
    String(SOURCE_DATE_EPOCH),
  ]);
});
