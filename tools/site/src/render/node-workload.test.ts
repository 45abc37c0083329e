import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { podsOf } from '../index.ts';
import { checkedObjects, renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const SWITCH = `schema: 1.2.0
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
    shareProcessNamespace: true
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
const AGENT = appText(
  'web',
  `requires: { switch: { kind: node-service, type: switch }, other: { kind: node-service, type: none, optional: true } }
`,
)
  .replace('    grace: 30\n', '    grace: 30\n    requires: [api, switch:local, other:local]\n')
  .replace(
    'workloads:\n',
    `workloads:
  api: { kind: Deployment, role: control-plane, replicas: { default: 1, rule: any }, spread: preferred, grace: 1, containers: { main: { command: [api], resources: {}, security: { escalation: it calls sudo } } } }
`,
  );

const input = () =>
  siteInputs({ parseAppSpec, parseSite })('{ switch: {}, web: {} }', {
    switch: SWITCH,
    web: AGENT,
  });
const pod = (name: string) =>
  podsOf(checkedObjects(input())).find(({ object }) => object.metadata.name === name)!.pod;

describe('a DaemonSet', () => {
  const object = () =>
    checkedObjects(input()).find(({ kind }) => kind === 'DaemonSet') as KubernetesObject;

  it('has no number of pods and no budget, and rolls over several nodes at once', () => {
    const { template: _, ...spec } = object()['spec'] as Record<string, unknown>;
    expect(spec).toEqual({
      revisionHistoryLimit: 5,
      selector: {
        matchLabels: {
          'app.kubernetes.io/name': 'switch',
          'app.kubernetes.io/instance': 'switch',
          'app.kubernetes.io/component': 'switch',
        },
      },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 5, maxSurge: 0 } },
    });
    expect(
      checkedObjects(input())
        .filter(({ kind }) => kind === 'PodDisruptionBudget')
        .map(({ metadata }) => metadata.name),
    ).toEqual(['web', 'web-api']);
  });

  it('shares parts of the node, each with a reason, in a namespace that allows it', () => {
    const { hostNetwork, dnsPolicy, shareProcessNamespace, volumes, containers } = pod('switch');
    expect({ hostNetwork, dnsPolicy, shareProcessNamespace, volumes }).toEqual({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
      shareProcessNamespace: true,
      volumes: [
        { name: 'run', hostPath: { path: '/run/switch', type: 'DirectoryOrCreate' } },
        { name: 'modules', hostPath: { path: '/lib/modules' } },
      ],
    });
    expect(containers[0]).toMatchObject({
      command: ['switch', '--node=$(CCP_NODE_NAME)'],
      env: [{ name: 'CCP_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      securityContext: { privileged: true, readOnlyRootFilesystem: true },
      volumeMounts: [
        { name: 'run', mountPath: '/run/switch', mountPropagation: 'Bidirectional' },
        { name: 'modules', mountPath: '/lib/modules', readOnly: true },
      ],
    });
    expect(
      checkedObjects(input())
        .filter(({ kind }) => kind === 'Namespace')
        .map(({ metadata: { name, labels } }) => [
          name,
          labels?.['pod-security.kubernetes.io/enforce'],
        ]),
    ).toEqual([
      // web's API calls sudo.
      ['cloud', 'baseline'],
      ['cloud-node', 'privileged'],
    ]);
    expect(pod('web-api').containers[0]!.securityContext).toMatchObject({
      allowPrivilegeEscalation: true,
    });
  });
});

describe('a requirement of a workload', () => {
  it('starts first, with :local on the same node; a missing optional one is left out', () => {
    const steps = renderChecked(input())
      .steps.filter(({ phase }) => phase === 'roll')
      .map(({ id, waitsFor }) => `${id} after ${waitsFor.join(', ')}`);
    expect(steps).toEqual([
      'switch/workload/switch after secrets',
      'web/workload/api after secrets',
      'web/workload/web after switch/workload/switch, web/workload/api',
    ]);
    expect(pod('web').affinity).toMatchObject({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: {
              matchLabels: {
                'app.kubernetes.io/name': 'switch',
                'app.kubernetes.io/instance': 'switch',
                'app.kubernetes.io/component': 'switch',
              },
            },
            topologyKey: 'kubernetes.io/hostname',
          },
        ],
      },
    });
  });
});

describe('groups of nodes', () => {
  const AGENT_OF_GROUPS = SWITCH.replace(
    'workloads:\n',
    'config: { switch.conf: { format: ini, layers: [{ content: { DEFAULT: { queues: 1 } } }] } }\nworkloads:\n',
  ).replace(
    '        mounts: {',
    '        files: { switch.conf: /etc/switch.conf }\n        mounts: {',
  );
  const site = (nodes: string) =>
    siteInputs({ parseAppSpec, parseSite })(`{ switch: { nodes: ${nodes} }, web: {} }`, {
      switch: AGENT_OF_GROUPS,
      web: AGENT,
    });
  const input = () =>
    site(
      '{ fast: { labels: [nic=fast, turbo], config: { switch.conf: { DEFAULT: { queues: 8 } } }, resources: { switch: { main: { limits: { memory: 4Gi } } } } }, big: { labels: [size=big] } }',
    );
  const nodesOf = (name: string): unknown => {
    const { nodeAffinity } = podsOf(checkedObjects(input())).find(
      ({ object }) => object.metadata.name === name,
    )!.pod.affinity as {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: { matchExpressions: { key: string; operator: string }[] }[];
        };
      };
    };
    return nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.map(
      ({ matchExpressions }) =>
        matchExpressions.map(({ key, operator }) => `${key} ${operator}`).join(', '),
    );
  };

  it('renders a DaemonSet for each group, with one pod on each node and the settings of the group', () => {
    const role = 'openstack-control-plane In';
    expect(nodesOf('switch')).toEqual([`${role}, nic NotIn, turbo DoesNotExist, size NotIn`]);
    expect(nodesOf('switch-switch-fast')).toEqual([`${role}, nic In`, `${role}, turbo Exists`]);
    expect(nodesOf('switch-switch-big')).toEqual([
      `${role}, size In, nic NotIn, turbo DoesNotExist`,
    ]);
    const pods = new Map(
      podsOf(checkedObjects(input())).map(({ object, pod: each }) => [object.metadata.name, each]),
    );
    const fileOf = (name: string): string | undefined =>
      pods.get(name)!.volumes.find(({ configMap }) => configMap !== undefined)?.configMap?.name;
    expect(fileOf('switch-switch-big')).toBe(fileOf('switch'));
    expect(fileOf('switch-switch-fast')).not.toBe(fileOf('switch'));
    expect(
      checkedObjects(input()).find(
        ({ metadata }) => metadata.name === fileOf('switch-switch-fast'),
      )!['data'],
    ).toEqual({
      'switch.conf': '[DEFAULT]\nqueues = 8\n',
    });
    expect(pods.get('switch-switch-fast')!.containers[0]!.resources).toEqual({
      requests: {},
      limits: { memory: '4Gi' },
    });
  });

  it('waits for all groups, and a pod that needs one on its node may run on the node of any of them', () => {
    const web = renderChecked(input()).steps.find(({ id }) => id === 'web/workload/web')!;
    expect(web.waitsFor).toEqual([
      'switch/workload/switch',
      'switch/workload/switch-big',
      'switch/workload/switch-fast',
      'web/workload/api',
    ]);
    const [{ pod: webPod }] = podsOf(web.objects) as [ReturnType<typeof podsOf>[number]];
    expect(webPod.affinity).toMatchObject({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: {
              matchExpressions: [
                {
                  key: 'app.kubernetes.io/component',
                  operator: 'In',
                  values: ['switch', 'switch-fast', 'switch-big'],
                },
              ],
            },
          },
        ],
      },
    });
  });

  it('refuses files that the app does not have, and apps without a pod on each node', () => {
    expect(() =>
      renderChecked(site('{ fast: { labels: [a], config: { swich.conf: {} } } }')),
    ).toThrow('"switch" has no configuration file "swich.conf"');
    expect(() =>
      renderChecked(
        siteInputs({ parseAppSpec, parseSite })('{ web: { nodes: { fast: { labels: [a] } } } }', {
          web: appText('web'),
        }),
      ),
    ).toThrow('"web" has no DaemonSet, so node groups have no effect');
  });
});
