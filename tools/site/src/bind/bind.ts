import { CcpError, placedMessage, throwFindings } from '#core';
import type { Bound, Work } from '../model/bound.ts';
import { objectsOf } from '../model/objects-of.ts';
import type { SiteInput } from '../model/types.ts';
import { render } from '../render/render.ts';
import { bindActions, isScheduled } from './bind-actions.ts';
import { bindFiles } from './bind-files.ts';
import { bindPod, type UnboundPod } from './bind-pod.ts';
import { checkObjects } from './check-objects.ts';
import { allValid, mapValid, valid, type Checked } from './checked.ts';
import { exposeSteps } from './expose-steps.ts';
import { missingImageErrors, secretsImage } from './images-of.ts';
import { instanceSteps, SECRETS_STEP, type UnboundStep } from './instance-steps.ts';
import { bindInstances } from './instances.ts';
import { orderSteps } from './order-steps.ts';
import { scopeOf } from './scope.ts';
import { secretRequests } from './secret-requests.ts';
import { withCopies } from './secret-copies.ts';

const SECRETS: UnboundStep = {
  id: SECRETS_STEP,
  phase: 'secrets',
  waitsFor: [],
  work: { kind: 'secrets' },
};

/**
 * Checks a site and resolves all its references. Returns the site for `render`, or all findings:
 * those of `bindInstances`, `site-series`, `image-missing`, `deploy-cycle`, those of `bindFiles`
 * and `bindPod`, and, if all pods could be resolved, those of `checkObjects`.
 */
export function bind(input: SiteInput): Bound | readonly CcpError[] {
  const { site } = input;
  const { instances, findings: ofInstances, isWhole } = bindInstances(input);
  const isExposed = ofInstances.length === 0;
  const scoped = new Map(
    [...instances].map(
      ([name, instance]) =>
        [name, { instance, scope: scopeOf(instance, instances, site) }] as const,
    ),
  );
  const files = [...scoped].map(
    ([name, { instance, scope }]) => [name, bindFiles(instance, scope, site)] as const,
  );
  const unordered: readonly UnboundStep[] = [
    SECRETS,
    ...[...instances.values()].flatMap((instance) => instanceSteps(instance, scoped)),
    ...(isExposed ? exposeSteps(site, instances) : []),
  ];
  const ordered = orderSteps(unordered);
  const works = unordered.map(({ id, work }) =>
    mapValid(bindWork(work, input), (bound) => [id, bound] as const),
  );
  const actions = [...scoped.values()].flatMap((of) => bindActions(of, input));
  const resolved = allValid([
    secretsImage(input),
    // Actions with a schedule come first, so that each finding is at its first object.
    allValid(actions.filter(isScheduled).map(({ bound }) => bound)),
    allValid(works),
    allValid(actions.map(({ bound }) => bound)),
  ]);
  const findings = [
    ...checkSeries(input),
    ...ofInstances,
    ...missingImageErrors(input, instances.values()),
    ...files.flatMap(([, each]) => each.findings),
    ...ordered.findings,
  ];
  if ('findings' in resolved) return distinct([...findings, ...resolved.findings]);
  const [image, , boundWorks, boundActions] = resolved.value;
  const workOf = new Map(boundWorks);
  const bound: Bound = {
    site,
    instances,
    files: new Map(files.map(([name, each]) => [name, each.files])),
    secrets: withCopies(
      secretRequests(instances),
      boundWorks.map(([, work]) => work),
      site,
    ),
    secretsImage: image,
    steps: ordered.steps.map((step) => ({ ...step, work: workOf.get(step.id)! })),
    actions: boundActions,
    migrations: migrationsOf(input),
  };
  const ofObjects = checkObjects(site, objectsOf(render(bound)), { isWhole, isExposed });
  const all = distinct([...findings, ...ofObjects]);
  return all.length > 0 ? all : bound;
}

/** Migrations of the images that the site does not replace by external ones. */
function migrationsOf({ site, imageSet }: SiteInput): Bound['migrations'] {
  return new Map(
    imageSet.images.flatMap(({ name, schema }) =>
      schema === undefined || site.external?.[name] !== undefined ? [] : [[name, schema] as const],
    ),
  );
}

/** The bound site. Throws the findings of `bind` together. */
export function boundOrThrow(found: Bound | readonly CcpError[]): Bound {
  throwFindings('site' in found ? [] : found);
  return found as Bound;
}

function bindWork(
  work: Work<UnboundPod>,
  input: SiteInput,
): Checked<Bound['steps'][number]['work']> {
  return 'pod' in work
    ? mapValid(bindPod(work.pod, input), (pod) => ({ ...work, pod }))
    : valid(work);
}

function checkSeries({ site, imageSet }: SiteInput): CcpError[] {
  if (imageSet.series === site.series) return [];
  return [
    new CcpError({
      code: 'site-series',
      message: `the site "${site.name}" runs series ${site.series}, but the image set is for ${imageSet.series}`,
      hint: `build it: ccp build --series ${site.series}`,
      at: site.position(['series']),
    }),
  ];
}

/**
 * The findings without repetitions: a finding may occur several times at one position, such as for
 * an action and its schedule. `image-missing` is reported once.
 */
function distinct(findings: readonly CcpError[]): readonly CcpError[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const key =
      finding.code === 'image-missing' ? finding.code : `${finding.code} ${placedMessage(finding)}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}
