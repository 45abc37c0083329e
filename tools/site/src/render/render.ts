import { omitUndefined } from '#core';
import type { Bound } from '../model/bound.ts';
import type { RenderedSite } from '../model/types.ts';
import type { InstanceInput } from './instance-input.ts';
import { renderConfigMaps } from './config-maps.ts';
import { renderFoundation } from './foundation.ts';
import { renderAction } from './render-actions.ts';
import { renderStep } from './render-step.ts';
import { renderSchemas } from './schemas.ts';
import { stoppedWorkloads } from './stopped-workloads.ts';

/** `bind` renders a site to check its objects, so the result is kept as long as the bound site. */
const rendered = new WeakMap<Bound, RenderedSite>();

/**
 * Renders a bound site as Kubernetes objects. Pure: the same input gives the same bytes. It cannot
 * fail, since `bind` checked the site. Secrets occur as references only.
 */
export function render(bound: Bound): RenderedSite {
  const known = rendered.get(bound) ?? renderAll(bound);
  rendered.set(bound, known);
  return known;
}

function renderAll(bound: Bound): RenderedSite {
  const { site, instances } = bound;
  const inputs = new Map(
    [...bound.files].map(([name, { files, ofGroups }]): [string, InstanceInput] => {
      const instance = instances.get(name)!;
      return [
        name,
        {
          site,
          instance,
          instances,
          files: renderConfigMaps(instance, files, site),
          groupFiles: new Map(
            [...ofGroups].map(([group, each]) => [group, renderConfigMaps(instance, each, site)]),
          ),
        },
      ];
    }),
  );
  const steps = bound.steps.map(({ work, ...step }) => ({
    ...step,
    objects: renderStep({ ...step, work }, bound, inputs),
  }));
  const actions = bound.actions
    .map((action) => {
      const input = inputs.get(action.pod.instance.name)!;
      return renderAction(input, action, (instance, workload) =>
        stoppedWorkloads(bound, steps, { instance, workload }),
      );
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    series: site.series,
    foundation: renderFoundation(bound, inputs, { steps, actions }),
    steps,
    secrets: bound.secrets,
    actions,
    ...omitUndefined({ schemas: renderSchemas(bound, steps) }),
  };
}
