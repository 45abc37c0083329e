import { CcpError, parseDocument } from '#core';
import {
  asKind,
  type Cluster,
  type KubernetesObject,
  type LiveObject,
  type ObjectRef,
} from '#ports';
import { joinParts, textParts } from '#rollout';
import { FIELD_MANAGER } from '#site';
import type { ApplicationRecord, ApplicationSources, OverrideLayers } from './record.ts';

/** The namespace of all records of applications. */
export const APPLICATIONS = 'ccp-applications';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const LABEL = 'ccp.openstack.org/application';
const KIND = 'ccp.openstack.org/application-part';
const NO_OVERRIDES: OverrideLayers = { system: {}, user: {} };

/** Part of an application in a ConfigMap of its own. */
type Part = 'application' | 'sources' | 'overrides' | 'abort';

/** Creates the namespace of records, unless it exists. */
export async function createNamespace(cluster: Cluster): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'ccp' };
  await cluster.create(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: APPLICATIONS, labels } },
    { fieldManager: FIELD_MANAGER },
  );
}

/** All applications by name. Throws `application-record-invalid`. */
export async function readApplications(
  cluster: Pick<Cluster, 'list'>,
): Promise<readonly ApplicationRecord[]> {
  const { items } = await cluster.list(CONFIG_MAPS, {
    namespace: APPLICATIONS,
    labelSelector: `${KIND}=application`,
  });
  return items
    .map((object) => parsePart<ApplicationRecord>(object, 'record'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The record of an application. Throws `application-record-invalid`. */
export async function readRecord(
  cluster: Pick<Cluster, 'get'>,
  name: string,
): Promise<ApplicationRecord | undefined> {
  const found = await cluster.get(refOfPart('application', name));
  return found === undefined ? undefined : parsePart<ApplicationRecord>(found, 'record');
}

export async function writeRecord(cluster: Cluster, record: ApplicationRecord): Promise<void> {
  await write(cluster, 'application', record.name, {
    data: { record: JSON.stringify(record) },
  });
}

/** Writes the sources of a version, the parts of which are read in order. */
export async function writeSources(
  cluster: Cluster,
  name: string,
  version: string,
  sources: ApplicationSources,
): Promise<void> {
  const parts = textParts(JSON.stringify(sources));
  for (const [index, part] of parts.entries())
    await write(cluster, 'sources', name, {
      suffix: `.${version}.${index}`,
      data: { version, index: String(index), of: String(parts.length) },
      binaryData: { sources: part },
    });
}

/** The sources of a version. Throws `application-record-invalid` if a part is missing. */
export async function readSources(
  cluster: Pick<Cluster, 'list'>,
  name: string,
  version: string,
): Promise<ApplicationSources> {
  const found = (await partsOf(cluster, name, 'sources'))
    .map((object) => asKind('ConfigMap', object))
    .filter(({ data }) => data?.['version'] === version)
    .sort((a, b) => Number(a.data?.['index']) - Number(b.data?.['index']));
  if (found.length === 0 || found.length !== Number(found[0]?.data?.['of']))
    throw new CcpError({
      code: 'application-record-invalid',
      message: `the files of ${name} ${version} in ${APPLICATIONS} are incomplete`,
      hint: `delete it and upload it again: ccp application delete ${name}`,
    });
  const texts = found.map(({ binaryData }) => binaryData?.['sources'] ?? '');
  return JSON.parse(joinParts(texts)) as ApplicationSources;
}

/** Deletes the sources of all versions but those to keep. */
export async function dropSources(
  cluster: Cluster,
  name: string,
  keep: readonly string[],
): Promise<void> {
  for (const object of await partsOf(cluster, name, 'sources'))
    if (!keep.includes(asKind('ConfigMap', object).data?.['version'] ?? ''))
      await remove(cluster, object);
}

/** The layers of overrides of an application. Throws `application-record-invalid`. */
export async function readOverrides(
  cluster: Pick<Cluster, 'get'>,
  name: string,
): Promise<OverrideLayers> {
  const found = await cluster.get(refOfPart('overrides', name));
  return found === undefined
    ? NO_OVERRIDES
    : { ...NO_OVERRIDES, ...parsePart<Partial<OverrideLayers>>(found, 'overrides') };
}

export async function writeOverrides(
  cluster: Cluster,
  name: string,
  { system, user }: OverrideLayers,
): Promise<void> {
  await write(cluster, 'overrides', name, {
    data: { overrides: JSON.stringify({ format: 1, system, user }) },
  });
}

/** Asks the run that changes an application to stop. */
export async function requestAbort(cluster: Cluster, name: string, by: string): Promise<void> {
  await write(cluster, 'abort', name, { data: { by } });
}

/** Who has asked the run to stop. */
export async function abortRequest(
  cluster: Pick<Cluster, 'get'>,
  name: string,
): Promise<string | undefined> {
  return asKind('ConfigMap', await cluster.get(refOfPart('abort', name)))?.data?.['by'];
}

export async function clearAbort(cluster: Cluster, name: string): Promise<void> {
  await cluster.delete(refOfPart('abort', name));
}

/** Deletes all parts of an application, its record last. */
export async function dropApplication(cluster: Cluster, name: string): Promise<void> {
  const all = await partsOf(cluster, name);
  const isRecord = ({ metadata }: LiveObject): boolean =>
    metadata.name === refOfPart('application', name).name;
  for (const object of [...all].sort((a, b) => Number(isRecord(a)) - Number(isRecord(b))))
    await remove(cluster, object);
}

async function partsOf(
  cluster: Pick<Cluster, 'list'>,
  name: string,
  part?: Part,
): Promise<readonly LiveObject[]> {
  const { items } = await cluster.list(CONFIG_MAPS, {
    namespace: APPLICATIONS,
    labelSelector: `${LABEL}=${name}${part === undefined ? '' : `,${KIND}=${part}`}`,
  });
  return items;
}

async function remove(cluster: Cluster, { metadata }: LiveObject): Promise<void> {
  await cluster.delete({ ...CONFIG_MAPS, name: metadata.name, namespace: APPLICATIONS });
}

function refOfPart(part: Part, name: string): ObjectRef {
  return { ...CONFIG_MAPS, name: `${part}.${name}`, namespace: APPLICATIONS };
}

async function write(
  cluster: Cluster,
  part: Part,
  name: string,
  { suffix = '', ...content }: { readonly suffix?: string } & Pick<KubernetesObject, string>,
): Promise<void> {
  const object: KubernetesObject = {
    ...CONFIG_MAPS,
    metadata: {
      name: `${part}.${name}${suffix}`,
      namespace: APPLICATIONS,
      labels: { 'app.kubernetes.io/managed-by': 'ccp', [LABEL]: name, [KIND]: part },
    },
    ...content,
  };
  await cluster.apply(object, { fieldManager: FIELD_MANAGER, force: true });
}

function parsePart<T>(object: LiveObject, key: string): T {
  const refuse = (what: string, cause?: unknown): CcpError =>
    new CcpError({
      code: 'application-record-invalid',
      message: `the ConfigMap ${object.metadata.name} in ${APPLICATIONS} is invalid: ${what}`,
      hint: 'use a newer version of ccp, or delete the ConfigMap',
      cause,
    });
  return parseDocument(asKind('ConfigMap', object).data?.[key] ?? '', {
    invalid: refuse,
    otherFormat: (what) => refuse(`it ${what}`),
  }) as unknown as T;
}
