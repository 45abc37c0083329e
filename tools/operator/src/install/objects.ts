import type { KubernetesObject } from '#ports';
import {
  OPERATOR_LABELS as LABELS,
  OPERATOR_METRICS_PORT as METRICS_PORT,
  OPERATOR_NAME,
  renderedNamespaces,
  type RenderedSite,
} from '#site';
import { customResourceDefinitions } from '../resources/definitions.ts';
import { clusterRules, LOCK, siteRules } from './rights.ts';

/** A site whose resource the operator may reconcile. */
export interface AdmittedSite {
  readonly name: string;
  readonly namespace: string;
  readonly rendered: RenderedSite;
}

/** Options of an installation. */
export interface InstallOptions {
  readonly namespace: string;
  /** `HOST/PATH@sha256:...` of an image with ccp. */
  readonly image: string;
  readonly sites: readonly AdmittedSite[];
  readonly replicas?: number;
  /** URL that gets each event. */
  readonly webhook?: string;
}

const RBAC = 'rbac.authorization.k8s.io';
/** User and group `ccp` of the image. */
const USER = 42401;

/**
 * All objects of an operator: definitions, namespaces, rights, network policy and Deployment, in
 * the order in which they are applied. Pure.
 */
export function operatorObjects(options: InstallOptions): readonly KubernetesObject[] {
  const { namespace, sites } = options;
  const named = { name: OPERATOR_NAME, labels: LABELS };
  const subjects = [{ kind: 'ServiceAccount', name: OPERATOR_NAME, namespace }];
  const places = sites.flatMap((site) =>
    renderedNamespaces(site.rendered, site).map((inside) => ({ site, inside })),
  );
  const names = [...new Set(places.map(({ inside }) => inside))].sort();
  const roleOf = (site: AdmittedSite): string => `${OPERATOR_NAME}-${site.name}`;
  return [
    ...customResourceDefinitions(),
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: {
          ...LABELS,
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/enforce-version': 'latest',
        },
      },
    },
    ...sites.flatMap(({ rendered }) =>
      rendered.foundation.filter(({ kind }) => kind === 'Namespace'),
    ),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...named, namespace } },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: named,
      rules: clusterRules(names),
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: named,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: OPERATOR_NAME },
      subjects,
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { ...named, namespace },
      rules: [LOCK],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { ...named, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: OPERATOR_NAME },
      subjects,
    },
    ...places.flatMap(({ site, inside }): KubernetesObject[] => [
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata: { name: roleOf(site), labels: LABELS, namespace: inside },
        rules: siteRules(site.rendered, { home: site.namespace, inside }),
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name: roleOf(site), labels: LABELS, namespace: inside },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: roleOf(site) },
        subjects,
      },
    ]),
    networkPolicy(namespace),
    metricsService(namespace),
    deployment(options),
  ];
}

/**
 * Admits requests for metrics, and connections to name servers, the API server and registries,
 * whose addresses are not known here.
 */
function networkPolicy(namespace: string): KubernetesObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: OPERATOR_NAME, labels: LABELS, namespace },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': OPERATOR_NAME } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: METRICS_PORT, protocol: 'TCP' }] }],
      egress: [
        {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        { ports: [{ port: 1, endPort: 65_535, protocol: 'TCP' }] },
      ],
    },
  };
}

/** A DNS record for each pod, by which metrics servers find them. */
function metricsService(namespace: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: OPERATOR_NAME, labels: LABELS, namespace },
    spec: {
      clusterIP: 'None',
      selector: { 'app.kubernetes.io/name': OPERATOR_NAME },
      ports: [{ name: 'metrics', port: METRICS_PORT, protocol: 'TCP' }],
    },
  };
}

function deployment({ namespace, image, replicas = 1, webhook }: InstallOptions): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, labels: LABELS, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { 'app.kubernetes.io/name': OPERATOR_NAME } },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: OPERATOR_NAME,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER,
            runAsGroup: USER,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'operator',
              image,
              command: [
                'ccp',
                'operator',
                'run',
                '--namespace',
                namespace,
                '--metrics',
                String(METRICS_PORT),
                ...(webhook === undefined ? [] : ['--webhook', webhook]),
              ],
              env: [{ name: 'HOME', value: '/tmp' }],
              ports: [{ name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' }],
              readinessProbe: { httpGet: { path: '/healthz', port: METRICS_PORT } },
              resources: {
                requests: { cpu: '50m', memory: '128Mi' },
                limits: { memory: '512Mi' },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
        },
      },
    },
  };
}
