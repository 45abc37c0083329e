import type { Site } from '#definitions';
import { namespaceSelector } from './namespaces.ts';

/** Name of the operator's objects: its Deployment, its Service, its account. */
export const OPERATOR_NAME = 'ccp-operator';
/** Port of its metrics, which its Service calls `metrics`. */
export const OPERATOR_METRICS_PORT = 9464;
/** Labels of its pods. */
export const OPERATOR_LABELS = {
  'app.kubernetes.io/name': OPERATOR_NAME,
  'app.kubernetes.io/managed-by': 'ccp',
} as const;

/** SRV record of the pods of the site's operator; none if the site names no operator. */
export function operatorRecords({ operator, cluster }: Site): readonly string[] {
  if (operator === undefined) return [];
  const { domain = 'cluster.local' } = cluster;
  return [`_metrics._tcp.${OPERATOR_NAME}.${operator.namespace}.svc.${domain}`];
}

/** Egress rule of apps that watch the site: to the metrics of its operator. */
export function operatorEgress({ operator }: Site): readonly object[] {
  if (operator === undefined) return [];
  return [
    {
      to: [
        {
          namespaceSelector: namespaceSelector(operator.namespace),
          podSelector: { matchLabels: { 'app.kubernetes.io/name': OPERATOR_NAME } },
        },
      ],
      ports: [{ port: OPERATOR_METRICS_PORT, protocol: 'TCP' }],
    },
  ];
}
