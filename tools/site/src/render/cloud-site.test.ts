import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import type { Site } from '#definitions';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { podsOf, type RenderedPod, type Step } from '../index.ts';
import { expectGolden, yamlOf } from '../testing/golden.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { testImageSet } from '../testing/site-input.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const appSpecs = readAppSpecs(ROOT);
const site = readSite(ROOT, 'cloud');
const stepsOf = (apps: Site['apps']): readonly Step[] =>
  renderChecked({
    site: { ...site, apps },
    appSpecs,
    imageSet: testImageSet(['openstack-base', ...appSpecs.keys()]),
  }).steps;
const steps = stepsOf(site.apps);

/** What a pod takes of its node and beyond the restricted profile. */
function taken({ pod }: RenderedPod): string[] {
  const own = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((key) => pod[key] === true);
  const paths = pod.volumes.flatMap(({ hostPath }) =>
    hostPath === undefined ? [] : [hostPath.path],
  );
  const rights = pod.containers.flatMap(({ securityContext }) => {
    const { privileged, capabilities } = securityContext as {
      privileged?: boolean;
      capabilities?: { add?: string[] };
    };
    return [...(privileged === true ? ['privileged'] : []), ...(capabilities?.add ?? [])];
  });
  return [
    ...((pod.securityContext as { runAsUser: number }).runAsUser === 0 ? ['root'] : []),
    ...own,
    ...rights,
    ...paths,
  ];
}

function orderAndRights(of: readonly Step[]): string {
  const order = of.map(
    ({ wave, id, waitsFor }) =>
      `${wave} ${id}${waitsFor.length === 0 ? '' : ` after ${waitsFor.join(', ')}`}`,
  );
  const rights = podsOf(of.flatMap(({ objects }) => objects)).flatMap((pod) =>
    taken(pod).length === 0 ? [] : [`${pod.object.metadata.name} takes ${taken(pod).join(', ')}`],
  );
  return `${[...order, '', ...rights].join('\n')}\n`;
}

it('starts the site "cloud" in the golden order, with the golden rights', () => {
  expectGolden('cloud.txt', orderAndRights(steps));
});

it('renders the golden workloads of OVN networks', () => {
  const { neutron, ...others } = site.apps;
  const ofNetworks = stepsOf({
    ...others,
    neutron: { ...neutron, replicas: { api: 3 } },
    openvswitch: {},
    ovn: {},
  }).filter(({ instance }) => ['neutron', 'openvswitch', 'ovn'].includes(instance ?? ''));
  expectGolden('cloud-ovn.txt', orderAndRights(ofNetworks));
});

it('renders the golden objects that expose its hosts', () => {
  expectGolden(
    'cloud-expose.yaml',
    yamlOf(steps.filter(({ phase }) => phase === 'expose').flatMap(({ objects }) => objects)),
  );
});
