import { expect, it } from 'vitest';
import {
  CHART,
  chartArchive,
  entry,
  type Files,
  findingsOf,
  manifestPath,
  RELEASE,
} from '../../../testing/packed-application.ts';
import { checkApplication } from './check-application.ts';

const release = (from: string, to: string): Promise<readonly string[]> =>
  findingsOf({ [manifestPath('web/helmrelease.yaml')]: RELEASE.replace(from, to) });
const archive = async (files: Files, folder?: string): Promise<readonly string[]> =>
  findingsOf({ 'charts/web-2026.1.0.tgz': await chartArchive({ ...CHART, ...files }, folder) });

it('accepts an application that follows the rules', async () => {
  expect(await findingsOf({})).toEqual([]);
});

const ROWS: readonly (readonly [string, () => Promise<readonly string[]>])[] = [
  // checksum.md5
  [
    'warning checksums : it has no checksum.md5, so a damaged copy is not noticed',
    () => findingsOf({ 'checksum.md5': undefined }),
  ],
  [
    'error checksums checksum.md5: it has no line of md5sum',
    () => findingsOf({ 'checksum.md5': 'nothing\n' }),
  ],
  [
    'error checksums checksum.md5: metadata.yaml has another MD5 sum',
    () => findingsOf({ 'checksum.md5': `${'0'.repeat(32)}  ./metadata.yaml\n` }),
  ],
  [
    'error checksums checksum.md5: gone is not in the tarball',
    () => findingsOf({ 'checksum.md5': `${'0'.repeat(32)}  ./gone\n` }),
  ],
  // charts
  [
    'error charts charts: it has no chart (.tgz)',
    () => findingsOf({ 'charts/web-2026.1.0.tgz': undefined }),
  ],
  [
    'error unpack charts/web-2026.1.0.tgz: the chart cannot be unpacked: Unexpected end of data',
    () => findingsOf({ 'charts/web-2026.1.0.tgz': 'text' }),
  ],
  [
    'error chart charts/web-2026.1.0.tgz: its name "web" is not that of its folder shop',
    () => archive({}, 'shop'),
  ],
  [
    'error chart charts/web-2026.1.0.tgz: its version "2026.1" is not a semantic version',
    () => archive({ 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: "2026.1"\n' }),
  ],
  [
    'error chart charts/web-2026.1.0.tgz: Chart.yaml has no apiVersion',
    () => archive({ 'Chart.yaml': 'name: web\nversion: 2026.1.0\n' }),
  ],
  [
    'error chart charts/web-2026.1.0.tgz: web/Chart.yaml is missing',
    async () =>
      findingsOf({ 'charts/web-2026.1.0.tgz': await chartArchive({ 'values.yaml': '' }) }),
  ],
  [
    'error chart charts/web-2026.1.0.tgz: values.yaml is not a mapping',
    () => archive({ 'values.yaml': '- a\n' }),
  ],
  [
    'error charts charts/web.tgz: it is web 2026.1.0, like charts/web-2026.1.0.tgz',
    async () =>
      findingsOf({ 'charts/web.tgz': await chartArchive({ ...CHART, 'values.yaml': 'a: 1\n' }) }),
  ],
  // fluxcd-manifests
  [
    'error manifests fluxcd-manifests: it needs kustomization.yaml and the folder base',
    () => findingsOf({ [manifestPath('kustomization.yaml')]: undefined }),
  ],
  [
    'error manifests fluxcd-manifests/kustomization.yaml: resources is not a list',
    () => findingsOf({ [manifestPath('kustomization.yaml')]: 'namespace: a\n' }),
  ],
  [
    'error manifests fluxcd-manifests/kustomization.yaml: resources lacks base',
    () => findingsOf({ [manifestPath('kustomization.yaml')]: 'namespace: a\nresources: [web]\n' }),
  ],
  [
    'error namespace fluxcd-manifests/kustomization.yaml: it has no namespace, so StarlingX uses "default"',
    () => findingsOf({ [manifestPath('kustomization.yaml')]: 'resources: [base, web]\n' }),
  ],
  [
    'error repository fluxcd-manifests/base/helmrepository.yaml: the file is missing',
    () =>
      findingsOf({
        [manifestPath('base/helmrepository.yaml')]: undefined,
        [manifestPath('base/other.yaml')]: 'a: 1\n',
      }),
  ],
  [
    'error repository fluxcd-manifests/base/helmrepository.yaml: spec.url does not end with one of: starlingx, stx-platform',
    () =>
      findingsOf({
        [manifestPath('base/helmrepository.yaml')]:
          'metadata: { name: a }\nspec: { url: http://a/mine }\n',
      }),
  ],
  [
    'error release fluxcd-manifests/other/helmrelease.yaml: the file is missing',
    () =>
      findingsOf({
        [manifestPath('kustomization.yaml')]: 'namespace: a\nresources: [base, web, other]\n',
        [manifestPath('other/kustomization.yaml')]: 'resources: []\n',
      }),
  ],
  [
    'error release fluxcd-manifests/web/kustomization.yaml: the file is missing',
    () => findingsOf({ [manifestPath('web/kustomization.yaml')]: undefined }),
  ],
  [
    'error release fluxcd-manifests/web/helmrelease.yaml: spec.releaseName is missing or not a text',
    () => release('  releaseName: web\n', ''),
  ],
  [
    'error release fluxcd-manifests/web/helmrelease.yaml: spec.chart.spec.version is missing or not a text',
    () => release('version: 2026.1.0', 'version: 2026.1'),
  ],
  [
    'error release-chart fluxcd-manifests/web/helmrelease.yaml: charts/ has no chart web 2026.1.1',
    () => release('2026.1.0', '2026.1.1'),
  ],
  [
    'error values fluxcd-manifests/web/helmrelease.yaml: spec.valuesFrom has no valuesKey that ends with static-overrides.yaml',
    () => release('valuesFrom', 'values'),
  ],
  [
    'error values fluxcd-manifests/web/web-static-overrides.yaml: the file is missing',
    () => findingsOf({ [manifestPath('web/web-static-overrides.yaml')]: undefined }),
  ],
  [
    'error values fluxcd-manifests/web/helmrelease.yaml: kustomization.yaml generates no Secret or ConfigMap other with the file web-static-overrides.yaml',
    () => release('name: web-static', 'name: other'),
  ],
  [
    'error values fluxcd-manifests/web/kustomization.yaml: generated names get a hash',
    () =>
      findingsOf({
        [manifestPath('web/kustomization.yaml')]:
          'secretGenerator: [{ name: web-static, files: [web-static-overrides.yaml] }]\n',
      }),
  ],
  // images
  [
    'error images : no chart has an image that StarlingX finds',
    () => findingsOf({ [manifestPath('web/web-static-overrides.yaml')]: '{}\n' }),
  ],
  [
    'error images-tag fluxcd-manifests/web/helmrelease.yaml: registry.test/web@sha256:12 is not REPOSITORY:TAG',
    () =>
      findingsOf({
        [manifestPath('web/web-static-overrides.yaml')]:
          'images: { tags: { web: "registry.test/web@sha256:12" } }\n',
      }),
  ],
  [
    'error images-tag fluxcd-manifests/web/helmrelease.yaml: registry.test:5000/web is not REPOSITORY:TAG',
    () =>
      findingsOf({
        [manifestPath('web/web-static-overrides.yaml')]:
          'images: { tags: { web: "registry.test:5000/web" } }\n',
      }),
  ],
  [
    'warning images-hidden fluxcd-manifests/web/helmrelease.yaml: StarlingX does not find the image in images.web',
    () => archive({ 'values.yaml': 'images: { web: { repository: a/b, digest: "sha256:1" } }\n' }),
  ],
  [
    'error images-folder fluxcd-manifests/web/helmrelease.yaml: StarlingX does not find the values of the chart web 2026.1.0-rc1: its folder is not cloud-web or web-rc1',
    async () =>
      findingsOf({
        'charts/web-2026.1.0.tgz': await chartArchive({
          'Chart.yaml': CHART['Chart.yaml'].replace('.0', '.0-rc1'),
        }),
        [manifestPath('web/helmrelease.yaml')]: RELEASE.replace(
          '{ name: web }',
          '{ name: cloud-web }',
        ).replace('2026.1.0', '2026.1.0-rc1'),
      }),
  ],
  // the archive
  [
    'error links plugins/link: it is a symlink',
    () => findingsOf({}, [entry('plugins/link', '', { type: 'symlink', target: '/etc' })]),
  ],
  [
    'error modes secret: its owner cannot read it (mode 0)',
    () => findingsOf({ 'checksum.md5': '' }, [entry('secret', 'a', { mode: 0 })]),
  ],
];

it.each(ROWS)('reports %s', async (finding, run) => {
  expect(await run()).toContain(finding);
});

it('names the file of a wrong type, and an archive that cannot be unpacked', async () => {
  const { findings, charts } = await checkApplication('cloud.zip', Buffer.from('PK'));
  expect(findings.map(({ rule }) => rule)).toEqual(['file-name', 'unpack']);
  expect(charts).toEqual([]);
});

it('finds images in every form that StarlingX knows', async () => {
  const values = `image: registry.test/a
tag: "1"
image_two: { image: "registry.test/b:2" }
deep: { image: { registry: registry.test, repository: c, tag: "3" } }
sidecars: { image: { repository: registry.test/d, tag: "4", csi: { resizer: "registry.test/e:5" } } }
plain: { images: { f: "registry.test/f:6" } }
`;
  const wrong = values.replaceAll(/:(\d)/g, '@$1').replaceAll(/"(\d)"/g, '"x y"');
  const reported = await findingsOf({ [manifestPath('web/web-static-overrides.yaml')]: wrong });
  expect(reported.filter((text) => text.includes('images-tag'))).toHaveLength(4);
  expect(await findingsOf({ [manifestPath('web/web-static-overrides.yaml')]: values })).toEqual([]);
});
