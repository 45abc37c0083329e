import { readFileSync } from 'node:fs';
import { omitUndefined } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Bound } from '../model/bound.ts';
import type { PodSpec } from '../model/kubernetes.ts';
import { contentHash, siteLabels } from '../model/labels.ts';
import type { SecretRequest } from '../model/types.ts';
import { jobObject } from './job.ts';
import { placement } from './placement.ts';

const NOBODY = 65534;

/** The program of the job, a file in this folder so that it can be linted and tested. */
const SCRIPT = readFileSync(new URL('make_secrets.py', import.meta.url), 'utf8');

/**
 * The Job that creates the site's Secrets in the cluster, with its account and its script. Values
 * never leave the cluster.
 */
export function renderSecretsJob({
  site,
  secrets,
  secretsImage: image,
}: Pick<Bound, 'site' | 'secrets' | 'secretsImage'>): {
  foundation: KubernetesObject[];
  job: KubernetesObject;
} {
  const account = `ccp-${site.name}-secrets`;
  const common: Common = {
    namespace: site.namespace,
    labels: { ...siteLabels(site), 'app.kubernetes.io/name': account },
  };
  const copied = secrets.filter(({ copies }) => copies !== undefined);
  const data = { 'make_secrets.py': SCRIPT, 'requests.json': requestsText(site, secrets) };
  const configMap = `${account}-${contentHash(data)}`;
  const pod = makingPod(site, { account, image, configMap });
  return {
    foundation: [
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: account, ...common },
        automountServiceAccountToken: false,
      },
      ...accessOf(account, common, secrets),
      ...copyAccess(account, common, copied),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: configMap, ...common },
        immutable: true,
        data,
      },
    ],
    job: jobObject(site, {
      name: account,
      labels: { 'app.kubernetes.io/name': account },
      pod,
      timeout: 600,
    }),
  };
}

/** Input of the script: the wanted Secrets with their labels. */
function requestsText(site: Site, secrets: readonly SecretRequest[]): string {
  const labelled = secrets.map(({ name, instance, keys, previous, copies }) => ({
    name,
    keys,
    ...omitUndefined({ previous, copies }),
    labels: { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/instance': instance },
  }));
  return JSON.stringify({ namespace: site.namespace, secrets: labelled }, null, 2);
}

/** Namespace and labels of the job's objects. */
interface Common {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The account's Role and its binding. */
function accessOf(
  account: string,
  common: Common,
  secrets: readonly SecretRequest[],
): KubernetesObject[] {
  const read = [
    ...secrets.flatMap(({ previous }) => previous?.names ?? []),
    ...secrets.flatMap(({ name, copies }) => (copies === undefined ? [] : [name])),
  ];
  const reading =
    read.length === 0
      ? []
      : [{ apiGroups: [''], resources: ['secrets'], resourceNames: read, verbs: ['get'] }];
  const creating = { apiGroups: [''], resources: ['secrets'], verbs: ['create'] };
  return roleAndBinding(account, common, [creating, ...reading], common.namespace);
}

/** The rights on copies, in each namespace with copies. */
function copyAccess(
  account: string,
  { namespace: home, labels }: Common,
  copied: readonly SecretRequest[],
): KubernetesObject[] {
  const namespaces = [...new Set(copied.flatMap(({ copies = [] }) => copies))].sort();
  return namespaces.flatMap((namespace) => {
    const resourceNames = copied
      .filter(({ copies = [] }) => copies.includes(namespace))
      .map(({ name }) => name);
    return roleAndBinding(
      account,
      { namespace, labels },
      [
        { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames, verbs: ['get', 'update'] },
      ],
      home,
    );
  });
}

/** A Role with its binding to the account, which is in the namespace `home`. */
function roleAndBinding(
  account: string,
  common: Common,
  rules: readonly object[],
  home: string,
): KubernetesObject[] {
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: account, ...common },
      rules,
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: account, ...common },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: home }],
    },
  ];
}

function makingPod(
  site: Site,
  {
    account,
    image,
    configMap,
  }: { readonly account: string; readonly image: string; readonly configMap: string },
): PodSpec {
  const anyRole = [...new Set(Object.values(site.roles).flat())].sort();
  return {
    serviceAccountName: account,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NOBODY,
      runAsGroup: NOBODY,
      fsGroup: NOBODY,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...placement(anyRole),
    containers: [
      {
        name: 'make',
        image,
        command: ['python3', '-I', '/etc/ccp/make_secrets.py'],
        env: [],
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'script', mountPath: '/etc/ccp', readOnly: true }],
      },
    ],
    volumes: [{ name: 'script', configMap: { name: configMap, defaultMode: 0o444 } }],
  };
}
