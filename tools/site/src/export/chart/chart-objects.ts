import type { KubernetesObject } from '#ports';
import { isApplySet } from '../../model/labels.ts';
import type { RenderedAction, RenderedSite } from '../../model/types.ts';
import { withValues } from '../../render/parameters.ts';

/** An object and the instance whose chart has it; without one it is in the chart of the site. */
export interface ChartObject {
  readonly object: KubernetesObject;
  readonly instance?: string;
}

const INSTANCE = 'app.kubernetes.io/instance';

/**
 * The objects of the charts of a site: those of the render, without the namespace of the release
 * and the ApplySet, and a test for each check. Helm keeps claims and namespaces when a release is
 * uninstalled: another site may use the namespace of node agents.
 */
export function chartObjects(
  { foundation, steps, actions }: RenderedSite,
  site: { readonly name: string; readonly namespace: string },
  instances: ReadonlySet<string>,
): ChartObject[] {
  const inChart = (object: KubernetesObject, name: string | undefined): ChartObject =>
    name !== undefined && instances.has(name) ? { object, instance: name } : { object };
  return [
    ...foundation
      .filter(
        (object) =>
          !isApplySet(object, site) &&
          !(object.kind === 'Namespace' && object.metadata.name === site.namespace),
      )
      .map((object) => inChart(kept(object), ownerOf(object))),
    ...steps.flatMap(({ instance, objects }) => objects.map((object) => inChart(object, instance))),
    ...actions
      .filter(({ kind }) => kind === 'check')
      .map((check) => inChart(testOf(check), check.id.split('/')[0])),
  ];
}

function ownerOf({ metadata, ...rest }: KubernetesObject): string | undefined {
  const { podSelector } = (rest['spec'] ?? {}) as {
    readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  return metadata.labels?.[INSTANCE] ?? podSelector?.matchLabels?.[INSTANCE];
}

function kept(object: KubernetesObject): KubernetesObject {
  return ['Namespace', 'PersistentVolumeClaim'].includes(object.kind)
    ? annotated(object, { 'helm.sh/resource-policy': 'keep' })
    : object;
}

/** The Job of a check as a test of Helm. */
function testOf({ job, parameters }: RenderedAction): KubernetesObject {
  return annotated(withValues(job, parameters, {}), {
    'helm.sh/hook': 'test',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  });
}

function annotated(
  object: KubernetesObject,
  more: Readonly<Record<string, string>>,
): KubernetesObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } },
  };
}
