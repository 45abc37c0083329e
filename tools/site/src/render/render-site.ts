import { collectErrors, CcpError, throwFindings } from '#core';
import type { KubernetesObject } from '#ports';
import { checkConflicts } from '../bind/check-conflicts.ts';
import { missingImageErrors } from '../bind/images-of.ts';
import { bindInstances } from '../bind/instances.ts';
import { raisedOnce } from '../bind/raised-once.ts';
import { scopeOf } from '../bind/scope.ts';
import { secretRequests } from '../bind/secret-requests.ts';
import type { RenderedSite, SiteInput, UnorderedStep } from '../model/types.ts';
import { renderConfigMaps } from './config-maps.ts';
import { exposeSteps } from './expose/expose-steps.ts';
import { instanceSteps, SECRETS_STEP } from './instance-steps.ts';
import { renderObjects } from './render-objects.ts';
import { renderSecretsJob } from './secrets-job.ts';
import { orderSteps } from './steps.ts';
import type { InstanceInput } from './workload.ts';

/**
 * A site as Kubernetes objects: pure, same input, same bytes. Secrets stand in it as references only. Raises together, each with file and
 * line, what `bindInstances` finds, `site-series` where the image set is of another series, `image-missing`, `deploy-cycle`, and what the
 * renderers of files and pods raise; then, where these render, objects of one name and rules about objects that there are not, the latter
 * as far as the findings before leave none of the objects out.
 */
export function layOutSite(input: SiteInput): RenderedSite {
  const { site } = input;
  const { instances, findings: unbound, isWhole } = bindInstances(input);
  const findings = [
    ...checkSeries(input),
    ...unbound,
    ...missingImageErrors(input, instances.values()),
  ];
  const runtimeFiles = new Map<string, KubernetesObject>();
  const inputs = new Map(
    [...instances].map(([name, instance]): [string, InstanceInput] => {
      const scope = scopeOf(instance, instances, site);
      const groupFiles = new Map(
        Object.keys(instance.settings.nodes ?? {}).map(
          (group) => [group, renderConfigMaps(instance, scope, site, findings, group)] as const,
        ),
      );
      return [
        name,
        {
          input,
          instance,
          instances,
          scope,
          runtimeFiles,
          files: renderConfigMaps(instance, scope, site, findings),
          groupFiles,
        },
      ];
    }),
  );
  const secrets = secretRequests(instances);
  const withIngress = unbound.length === 0;
  return raisedOnce(findings, () => {
    const unordered: readonly UnorderedStep[] = [
      {
        id: SECRETS_STEP,
        phase: 'secrets',
        waitsFor: [],
        render: () => [renderSecretsJob(input, secrets).job],
      },
      ...[...instances.values()].flatMap((instance) => instanceSteps(instance, inputs)),
      ...(withIngress ? exposeSteps(site, instances) : []),
    ];
    const [ordered, { foundation, ofSteps, actions }] = collectErrors([
      () => orderSteps(unordered),
      () => {
        const rendered = renderObjects({
          input,
          instances,
          inputs,
          runtimeFiles,
          secrets,
          unordered,
        });
        const all = [...rendered.foundation, ...[...rendered.ofSteps.values()].flat()];
        collectErrors([
          () => refuseDuplicates(all, site),
          () => isWhole && throwFindings(checkConflicts(site, all, { withIngress })),
        ]);
        return rendered;
      },
    ]);
    return {
      foundation,
      steps: ordered.map((step) => ({ ...step, objects: ofSteps.get(step.id)! })),
      secrets,
      actions,
    };
  });
}

/** The objects of a site in the order they are applied. Errors as of `layOutSite`. */
export function renderSite(input: SiteInput): readonly KubernetesObject[] {
  const { foundation, steps } = layOutSite(input);
  return [...foundation, ...steps.flatMap(({ objects }) => objects)];
}

function checkSeries({ site, imageSet }: SiteInput): CcpError[] {
  if (imageSet.series === site.series) return [];
  const message = `the site "${site.name}" runs series ${site.series}, the image set is of ${imageSet.series}`;
  return [
    new CcpError({
      code: 'site-series',
      message,
      hint: `build it: ccp build --series ${site.series}`,
      at: site.position(['series']),
    }),
  ];
}

function refuseDuplicates(objects: readonly KubernetesObject[], site: SiteInput['site']): void {
  const seen = new Set<string>();
  const findings: CcpError[] = [];
  for (const { kind, metadata } of objects) {
    const key = `${kind} "${metadata.name}"`;
    if (seen.has(key)) {
      findings.push(
        new CcpError({
          code: 'site-invalid',
          message: `two instances would make the ${key}`,
          hint: 'give one of them another name',
          at: site.position(['apps']),
        }),
      );
    }
    seen.add(key);
  }
  throwFindings(findings);
}
