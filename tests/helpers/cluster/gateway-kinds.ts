import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Cluster, KubernetesObject, LiveObject } from '#ports';
import { eventObjects } from './event-objects.ts';
import type { TestCluster } from './start-test-cluster.ts';

const GROUP = 'gateway.networking.k8s.io';
const KINDS = { Gateway: 'gateways', HTTPRoute: 'httproutes' } as const;
type Kind = keyof typeof KINDS;

/** Installs the kinds of the Gateway API with arbitrary fields; resolves once they are served. */
export async function installGatewayKinds(cluster: Cluster): Promise<void> {
  for (const kind of Object.keys(KINDS) as Kind[])
    await cluster.apply(definition(kind), { fieldManager: 'test-cluster' });
  for (const kind of Object.keys(KINDS)) {
    for (let tries = 0; !(await isServed(cluster, kind)); tries++) {
      if (tries > 100) throw new Error(`the server does not serve ${kind}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Simulates the controller of Gateways and routes until `signal` aborts. */
export async function simulateGateways(test: TestCluster, signal: AbortSignal): Promise<void> {
  await Promise.all(
    (Object.keys(KINDS) as Kind[]).map(async (kind) => {
      for await (const event of test.cluster.watch(
        { apiVersion: `${GROUP}/v1`, kind },
        { signal },
      )) {
        for (const object of eventObjects(event))
          if (object['status'] === undefined || seen(object) < object.metadata.generation!)
            await patchStatus(test, kind, object, statusOf(object));
      }
    }),
  );
}

/** The observed generation in an object's status. */
function seen({ status }: LiveObject): number {
  return Math.max(
    0,
    ...[...JSON.stringify(status).matchAll(/"observedGeneration":(\d+)/g)].map(([, number]) =>
      Number(number),
    ),
  );
}

function statusOf({ kind, metadata, spec }: LiveObject): object {
  const condition = (type: string): object => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    observedGeneration: metadata.generation,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  if (kind === 'Gateway') return { conditions: [condition('Accepted'), condition('Programmed')] };
  const { parentRefs } = spec as { parentRefs: readonly object[] };
  return {
    parents: parentRefs.map((parentRef) => ({
      parentRef,
      controllerName: 'example.org/test',
      conditions: [condition('Accepted'), condition('ResolvedRefs')],
    })),
  };
}

/**
 * Writes a status with the administrator's certificate: the port `Cluster` does not write statuses.
 */
async function patchStatus(
  { kubeconfig, server }: TestCluster,
  kind: Kind,
  { metadata }: LiveObject,
  status: object,
): Promise<void> {
  const { users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    users: readonly { user: Readonly<Record<string, string>> }[];
  };
  const pem = (key: string): Buffer => Buffer.from(users[0]!.user[key]!, 'base64');
  const path = `/apis/${GROUP}/v1/namespaces/${metadata.namespace!}/${KINDS[kind]}/${metadata.name}/status`;
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      new URL(path, server),
      {
        method: 'PATCH',
        rejectUnauthorized: false,
        cert: pem('client-certificate-data'),
        key: pem('client-key-data'),
        headers: { 'content-type': 'application/merge-patch+json' },
      },
      (answer) => {
        answer.resume();
        answer.once('end', resolve);
      },
    );
    sent.once('error', reject);
    sent.end(JSON.stringify({ status }));
  });
}

async function isServed(cluster: Cluster, kind: string): Promise<boolean> {
  return await cluster.list({ apiVersion: `${GROUP}/v1`, kind }).then(
    () => true,
    () => false,
  );
}

function definition(kind: Kind): KubernetesObject {
  const plural = KINDS[kind];
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GROUP}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, of a test' },
    },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
