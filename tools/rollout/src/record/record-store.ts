import { CcpError, messageOf, parseDocument } from '#core';
import {
  asKind,
  type Cluster,
  type KubernetesObject,
  type LiveObject,
  type ObjectRef,
} from '#ports';
import { FIELD_MANAGER, type RenderedSite } from '#site';
import type { SiteName } from '../session/site-name.ts';
import type { RevisionRecord } from './record.ts';
import { parseShape, RECORD, RENDERED, wrongMember } from './record-shape.ts';
import { joinParts, textParts } from './text-parts.ts';

/** Revisions kept in addition to the newest good one. */
const KEPT = 10;
const LABEL = 'ccp.openstack.org/record-of';
const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

/**
 * The records of a site, oldest first, without their objects. Throws `deploy-record-invalid` for an
 * unknown format.
 */
export async function readRecords(
  cluster: Cluster,
  site: SiteName,
): Promise<readonly RevisionRecord[]> {
  const { items } = await cluster.list(CONFIG_MAPS, {
    namespace: site.namespace,
    labelSelector: `${LABEL}=${site.name}`,
  });
  return items.map(parseRecord).sort((a, b) => a.revision - b.revision);
}

/**
 * The rendered objects of a revision; a revision of an older ccp has no actions. Throws
 * `deploy-record-invalid` if a part is missing or invalid.
 */
export async function readRendered(
  cluster: Cluster,
  site: SiteName,
  record: RevisionRecord,
): Promise<RenderedSite> {
  const parts = await Promise.all(
    Array.from({ length: record.parts }, (_, index) =>
      cluster.get(partRef(site, record.revision, index)),
    ),
  );
  const texts = parts.map((part) => asKind('ConfigMap', part)?.binaryData?.['rendered']);
  if (texts.includes(undefined)) {
    throw new CcpError({
      code: 'deploy-record-invalid',
      message: `the record of revision ${record.revision} is incomplete: a part of its objects is missing`,
      hint: `choose another revision: ccp deploy history ${site.name}`,
    });
  }
  const rendered = parseRendered(site, record, texts as readonly string[]);
  return { ...rendered, actions: rendered.actions ?? [] };
}

type StoredSite = Omit<RenderedSite, 'actions'> & Partial<RenderedSite>;

function parseRendered(
  { name }: SiteName,
  { revision }: RevisionRecord,
  texts: readonly string[],
): StoredSite {
  try {
    return parseShape(joinParts(texts), RENDERED) as StoredSite;
  } catch (cause) {
    throw new CcpError({
      code: 'deploy-record-invalid',
      message: `the record of revision ${revision} has invalid objects: ${messageOf(cause)}`,
      hint: `choose another revision: ccp deploy history ${name}`,
      cause,
    });
  }
}

/**
 * The newest revision of a site and its rendered objects. Throws the errors of `readNewestRecord`
 * and `readRendered`.
 */
export async function readNewest(
  cluster: Cluster,
  site: SiteName,
): Promise<{ readonly record: RevisionRecord; readonly rendered: RenderedSite }> {
  const record = await readNewestRecord(cluster, site);
  return { record, rendered: await readRendered(cluster, site, record) };
}

/** The record of a site's newest revision. Throws `deploy-missing` if the cluster has none. */
export async function readNewestRecord(cluster: Cluster, site: SiteName): Promise<RevisionRecord> {
  const record = (await readRecords(cluster, site)).at(-1);
  if (record !== undefined) return record;
  throw new CcpError({
    code: 'deploy-missing',
    message: `${cluster.name} has no revision of "${site.name}" in ${site.namespace}`,
    hint: `install it: ccp deploy apply ${site.name}`,
  });
}

/**
 * Writes the objects of a new revision and then its record, so that an existing record is complete.
 */
export async function writeRevision(
  cluster: Cluster,
  site: SiteName,
  record: Omit<RevisionRecord, 'parts'>,
  rendered: RenderedSite,
): Promise<RevisionRecord> {
  const chunks = textParts(JSON.stringify(rendered));
  for (const [index, chunk] of chunks.entries()) {
    const { name } = partRef(site, record.revision, index);
    await apply(cluster, {
      ...CONFIG_MAPS,
      metadata: metadataOf(site, name, {}),
      binaryData: { rendered: chunk },
    });
  }
  const whole = { ...record, parts: chunks.length };
  await writeRecord(cluster, site, whole);
  return whole;
}

/** Writes the record of a revision. */
export async function writeRecord(
  cluster: Cluster,
  site: SiteName,
  record: RevisionRecord,
): Promise<void> {
  await apply(cluster, {
    ...CONFIG_MAPS,
    metadata: metadataOf(site, recordName(site, record.revision), { [LABEL]: site.name }),
    data: { record: JSON.stringify(record) },
  });
}

/** Deletes old revisions; the newest ones and the newest good one stay. */
export async function dropOldRecords(
  cluster: Cluster,
  site: SiteName,
  records: readonly RevisionRecord[],
): Promise<void> {
  const good = records.findLast(({ state }) => state === 'good');
  for (const record of records.slice(0, -KEPT).filter((old) => old !== good)) {
    await deleteRecord(cluster, site, record);
  }
}

/** Removes a revision: its record first, then its objects. */
async function deleteRecord(
  cluster: Cluster,
  site: SiteName,
  record: RevisionRecord,
): Promise<void> {
  await cluster.delete({
    ...CONFIG_MAPS,
    name: recordName(site, record.revision),
    namespace: site.namespace,
  });
  for (let index = 0; index < record.parts; index++)
    await cluster.delete(partRef(site, record.revision, index));
}

function parseRecord(object: LiveObject): RevisionRecord {
  const text = asKind('ConfigMap', object).data?.['record'];
  const refuse = (what: string, cause?: unknown): CcpError =>
    new CcpError({
      code: 'deploy-record-invalid',
      message: `the ConfigMap ${object.metadata.name} is not a revision record: ${what}`,
      hint: 'use a newer version of ccp, or delete the ConfigMap',
      cause,
    });
  const record = parseDocument(text ?? '', {
    invalid: refuse,
    otherFormat: (what) => refuse(`it ${what}`),
  });
  const wrong = wrongMember(record, RECORD);
  if (wrong !== undefined) throw refuse(wrong);
  return record as unknown as RevisionRecord;
}

async function apply(cluster: Cluster, object: KubernetesObject): Promise<void> {
  await cluster.apply(object, { fieldManager: FIELD_MANAGER, force: true });
}

function metadataOf(
  site: SiteName,
  name: string,
  labels: Readonly<Record<string, string>>,
): KubernetesObject['metadata'] {
  return {
    name,
    namespace: site.namespace,
    labels: {
      'app.kubernetes.io/part-of': site.name,
      'app.kubernetes.io/managed-by': 'ccp',
      ...labels,
    },
  };
}

function recordName(site: SiteName, revision: number): string {
  return `ccp-${site.name}-revision-${revision}`;
}

function partRef(site: SiteName, revision: number, index: number): ObjectRef {
  return {
    ...CONFIG_MAPS,
    name: `${recordName(site, revision)}-${index}`,
    namespace: site.namespace,
  };
}
