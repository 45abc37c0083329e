import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { writeTar, type TarEntry } from '#formats/tar';
import { checkApplication } from '../export/starlingx/check/check-application.ts';

/** Contents by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A member of a tar. */
export const entry = (path: string, content: string | Uint8Array, more: object = {}): TarEntry => {
  const data = Buffer.from(content);
  const header = { path, type: 'file', mode: 0o644, uid: 0, gid: 0, size: data.length, mtime: 0 };
  return { header: { ...header, ...more } as TarEntry['header'], data: [data] };
};

/** A compressed tar. */
export async function packed(entries: readonly TarEntry[]): Promise<Buffer> {
  return gzipSync(Buffer.concat(await Array.fromAsync(writeTar(entries))));
}

/** The archive of a chart. */
export const chartArchive = (files: Files, folder = 'web'): Promise<Buffer> =>
  packed(Object.entries(files).map(([path, text]) => entry(`${folder}/${path}`, text)));

/** The files of a chart. */
export const CHART = { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 2026.1.0\n' };
const IMAGES = 'images: { tags: { web: "registry.test/web:1" } }\n';
/** A metadata.yaml with the required keys. */
export const METADATA =
  'app_name: cloud\napp_version: 2026.1-0\nsupported_k8s_version: { minimum: "1.31" }\n';
/** A helmrelease.yaml. */
export const RELEASE = `metadata: { name: web }
spec:
  releaseName: web
  chart: { spec: { chart: web, version: 2026.1.0 } }
  valuesFrom: [{ kind: Secret, name: web-static, valuesKey: web-static-overrides.yaml }]
`;
const FOLDER = 'fluxcd-manifests';

async function good(): Promise<Record<string, string | Uint8Array>> {
  return {
    'metadata.yaml': METADATA,
    'charts/web-2026.1.0.tgz': await chartArchive(CHART),
    [`${FOLDER}/kustomization.yaml`]: 'namespace: cloud\nresources: [base, web]\n',
    [`${FOLDER}/base/helmrepository.yaml`]:
      'metadata: { name: starlingx }\nspec: { url: "http://192.168.206.1:8080/helm_charts/starlingx" }\n',
    [`${FOLDER}/web/kustomization.yaml`]:
      'resources: [helmrelease.yaml]\nsecretGenerator: [{ name: web-static, files: [web-static-overrides.yaml] }]\ngeneratorOptions: { disableNameSuffixHash: true }\n',
    [`${FOLDER}/web/helmrelease.yaml`]: RELEASE,
    [`${FOLDER}/web/web-static-overrides.yaml`]: IMAGES,
  };
}

/** The findings of a good application with other files; undefined removes a file. */
export async function findingsOf(
  changes: Readonly<Record<string, string | Uint8Array | undefined>>,
  extra: readonly TarEntry[] = [],
): Promise<readonly string[]> {
  const files = Object.entries({ ...(await good()), ...changes }).flatMap(([path, content]) =>
    content === undefined ? [] : [[path, Buffer.from(content)] as const],
  );
  const sums = files.map(
    ([path, data]) => `${createHash('md5').update(data).digest('hex')}  ./${path}\n`,
  );
  const checksums = 'checksum.md5' in changes ? [] : [entry('checksum.md5', sums.join(''))];
  const tarball = await packed([
    ...files.map(([path, data]) => entry(path, data)),
    ...checksums,
    ...extra,
  ]);
  const { findings } = await checkApplication('cloud-2026.1-0.tgz', tarball);
  return findings.map(({ level, rule, path, message }) => `${level} ${rule} ${path}: ${message}`);
}

/** Path of a file of the Flux manifests. */
export const manifestPath = (name: string): string => `${FOLDER}/${name}`;
