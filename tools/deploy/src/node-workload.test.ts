import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions';
import type { KubernetesObject } from '#ports';
import { layOutSite, podsOf, renderSite } from './index.ts';
import { appText, siteInputs } from './testing/site-input.ts';

const SWITCH = `schema: 1.1.0
title: Switch
user: { uid: 1000, gid: 1000 }
provides: { switch: { kind: node-service, type: switch, workload: switch } }
workloads:
  switch:
    kind: DaemonSet
    role: control-plane
    grace: 30
    disruption: { maxUnavailable: 5 }
    host: { network: it carries the node's traffic }
    volumes:
      run: { host: { path: /run/switch, readOnly: false, type: folder, propagation: both, reason: its socket is there } }
      modules: { host: { path: /lib/modules, readOnly: true, reason: it loads a module } }
    containers:
      main:
        command: [switch, "--node=\${node.name}"]
        mounts: { run: /run/switch, modules: /lib/modules }
        security: { privileged: it makes interfaces, root: modules are loaded by root }
        resources: {}
`;
const AGENT = appText('web', `requires: { switch: { kind: node-service, type: switch }, other: { kind: node-service, type: none, optional: true } }
`).replace('    grace: 30\n', '    grace: 30\n    requires: [api, switch:local, other:local]\n').replace('workloads:\n', `workloads:
  api: { kind: Deployment, role: control-plane, replicas: { default: 1, rule: any }, spread: preferred, grace: 1, containers: { main: { command: [api], resources: {}, security: { escalation: it calls sudo } } } }
`);

const input = () => siteInputs({ parseAppSpec, parseSite })('{ switch: {}, web: {} }', { switch: SWITCH, web: AGENT });
const pod = (name: string) => podsOf(renderSite(input())).find(({ object }) => object.metadata.name === name)!.pod;

describe('a DaemonSet', () => {
  const object = () => renderSite(input()).find(({ kind }) => kind === 'DaemonSet') as KubernetesObject;

  it('has no number of pods and no budget, and rolls over several nodes at once', () => {
    const { template: _, ...spec } = object()['spec'] as Record<string, unknown>;
    expect(spec).toEqual({
      revisionHistoryLimit: 5,
      selector: { matchLabels: { 'app.kubernetes.io/name': 'switch', 'app.kubernetes.io/instance': 'switch', 'app.kubernetes.io/component': 'switch' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 5, maxSurge: 0 } },
    });
    expect(renderSite(input()).filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(['web', 'web-api']);
  });

  it('shares of the node what it says with a reason, in a namespace that allows it', () => {
    const { hostNetwork, dnsPolicy, volumes, containers } = pod('switch');
    expect({ hostNetwork, dnsPolicy, volumes }).toEqual({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
      volumes: [{ name: 'run', hostPath: { path: '/run/switch', type: 'DirectoryOrCreate' } }, { name: 'modules', hostPath: { path: '/lib/modules' } }],
    });
    expect(containers[0]).toMatchObject({
      command: ['switch', '--node=$(CCP_NODE_NAME)'],
      env: [{ name: 'CCP_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      securityContext: { privileged: true, readOnlyRootFilesystem: true },
      volumeMounts: [{ name: 'run', mountPath: '/run/switch', mountPropagation: 'Bidirectional' }, { name: 'modules', mountPath: '/lib/modules', readOnly: true }],
    });
    expect(renderSite(input())[0]!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
    expect(pod('web-api').containers[0]!.securityContext).toMatchObject({ allowPrivilegeEscalation: true });
  });
});

describe('what a workload requires', () => {
  it('comes before it, and with :local is on the same node; what is optional and not there is left out', () => {
    const steps = layOutSite(input()).steps.filter(({ phase }) => phase === 'roll').map(({ id, waitsFor }) => `${id} after ${waitsFor.join(', ')}`);
    expect(steps).toEqual(['switch/workload/switch after secrets', 'web/workload/api after secrets', 'web/workload/web after switch/workload/switch, web/workload/api']);
    expect(pod('web').affinity).toMatchObject({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'switch', 'app.kubernetes.io/instance': 'switch', 'app.kubernetes.io/component': 'switch' } }, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    });
  });
});
