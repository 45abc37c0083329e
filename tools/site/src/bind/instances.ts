import { CcpError, nearest, type Position } from '#core';
import type { AppSpec, Provision, Requirement } from '#definitions';
import type { Instance, Binding } from '../model/instance.ts';
import { isMet } from '../model/is-met.ts';
import { withNodeGroups } from '../model/node-groups.ts';
import type { SiteInput } from '../model/types.ts';
import { checkExpose } from './check-expose.ts';
import { checkOverrides } from './check-overrides.ts';
import { checkSite } from './check-site.ts';

/** The instances of a site, and the findings about them. */
export interface BoundInstances {
  /** By name, sorted. */
  readonly instances: ReadonlyMap<string, Instance>;
  readonly findings: readonly CcpError[];
  /** Whether every app is known and every requirement is bound. */
  readonly isWhole: boolean;
}

/**
 * Binds the requirements of a site's instances. Findings with positions: `app-unknown`,
 * `provider-missing`, `provider-ambiguous`, `site-invalid`. With findings, instances of unknown
 * apps are left out and unbound requirements are treated as optional.
 */
export function bindInstances({
  site,
  appSpecs,
}: Pick<SiteInput, 'site' | 'appSpecs'>): BoundInstances {
  const found = Object.entries(site.apps).map(([name, { app = name }]) => ({
    name,
    app,
    spec: appSpecs.get(app),
  }));
  const specs = new Map(
    found.flatMap(({ name, spec }) => (spec === undefined ? [] : [[name, spec] as const])),
  );
  const unknown = found.flatMap(({ name, app, spec }) =>
    spec === undefined ? [unknownApp(app, site.position(['apps', name]), appSpecs)] : [],
  );
  const bound = [...specs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => bindInstance(site, specs, name, spec));
  const instances = new Map(bound.map(({ instance }) => [instance.name, instance]));
  return {
    instances,
    findings: [
      ...unknown,
      ...bound.flatMap(({ overrides, missing }) => [...overrides, ...missing]),
      ...checkSite(site, [...specs.values()], instances),
      ...checkExpose(site, instances),
    ],
    isWhole: unknown.length === 0 && bound.every(({ missing }) => missing.length === 0),
  };
}

function unknownApp(app: string, at: Position, appSpecs: ReadonlyMap<string, AppSpec>): CcpError {
  const meant = nearest(app, appSpecs.keys());
  const hint =
    meant === undefined
      ? `known apps: ${[...appSpecs.keys()].join(', ')}`
      : `did you mean "${meant}"?`;
  return new CcpError({ code: 'app-unknown', message: `unknown app "${app}"`, hint, at });
}

/**
 * Binds one instance. `overrides` are findings about its settings, `missing` about requirements.
 */
function bindInstance(
  site: SiteInput['site'],
  specs: ReadonlyMap<string, AppSpec>,
  name: string,
  spec: AppSpec,
): {
  readonly instance: Instance;
  readonly overrides: readonly CcpError[];
  readonly missing: readonly CcpError[];
} {
  const settings = site.apps[name]!;
  const found = Object.entries(spec.requires ?? {}).map(([key, requirement]) => {
    const chosen = settings.requires?.[key];
    return [key, bindRequirement({ site, specs, name, spec, key, requirement, chosen })] as const;
  });
  const bindings = new Map(
    found.flatMap(([key, binding]) =>
      binding === undefined || binding instanceof CcpError ? [] : [[key, binding] as const],
    ),
  );
  const running = { ...spec, workloads: workloadsThatRun(spec, bindings) };
  return {
    instance: { name, settings, bindings, ...withNodeGroups(running, settings.nodes) },
    overrides: checkOverrides({ site, name, spec: running, settings }),
    missing: found.flatMap(([, binding]) => (binding instanceof CcpError ? [binding] : [])),
  };
}

function workloadsThatRun(
  spec: AppSpec,
  bindings: ReadonlyMap<string, Binding>,
): AppSpec['workloads'] {
  return Object.fromEntries(
    Object.entries(spec.workloads).filter(([, { when }]) =>
      isMet(when, (requirement) => bindings.has(requirement)),
    ),
  );
}

interface Wanted {
  readonly site: SiteInput['site'];
  readonly specs: ReadonlyMap<string, AppSpec>;
  readonly name: string;
  readonly spec: AppSpec;
  readonly key: string;
  readonly requirement: Requirement;
  readonly chosen: string | undefined;
}

function bindRequirement({
  site,
  specs,
  name,
  spec,
  key,
  requirement,
  chosen,
}: Wanted): Binding | CcpError | undefined {
  const at =
    chosen === undefined
      ? spec.position(['requires', key])
      : site.position(['apps', name, 'requires', key]);
  const hint = `set it in the site: apps.${name}.requires.${key}`;
  if (requirement.kind === 'secret') {
    if (chosen !== undefined) return { requirement, secret: chosen };
    if (requirement.optional === true) return undefined;
    return new CcpError({
      code: 'provider-missing',
      message: `"${name}" requires the Secret "${key}", which the site does not set`,
      hint,
      at,
    });
  }
  const able = [...specs].flatMap(([provider, other]) =>
    Object.entries(other.provides ?? {})
      .filter(([, provision]) => meets(provision, requirement))
      .map(([provision, { workload }]) => ({ requirement, provider, provision, workload })),
  );
  if (chosen !== undefined && !specs.has(chosen)) {
    const meant = nearest(chosen, specs.keys());
    const providers = [...new Set(able.map(({ provider }) => provider))].join(', ') || 'none';
    const message = `"${name}" requires "${key}" of the unknown instance "${chosen}"`;
    return new CcpError({
      code: 'provider-missing',
      message,
      hint:
        meant === undefined
          ? `instances that provide it: ${providers}`
          : `did you mean "${meant}"?`,
      at,
    });
  }
  const found = chosen === undefined ? able : able.filter(({ provider }) => provider === chosen);
  if (found.length === 1) return found[0];
  const what = `${/^[aeiou]/.test(requirement.kind) ? 'an' : 'a'} ${requirement.kind}${requirement.type === undefined ? '' : ` of type ${requirement.type}`}`;
  if (found.length > 1) {
    const names = found.map(({ provider, provision }) => `${provider}.${provision}`).join(', ');
    return new CcpError({
      code: 'provider-ambiguous',
      message: `"${name}" requires ${what}, and several instances provide it: ${names}`,
      hint,
      at,
    });
  }
  if (requirement.optional === true && chosen === undefined) return undefined;
  const message =
    chosen === undefined
      ? `"${name}" requires ${what}, which no app of the site provides`
      : `"${chosen}" does not provide ${what}`;
  return new CcpError({
    code: 'provider-missing',
    message,
    hint: 'add an app that provides it to the site',
    at,
  });
}

function meets(provision: Provision, requirement: Requirement): boolean {
  return (
    provision.kind === requirement.kind &&
    (requirement.type === undefined || provision.type === requirement.type)
  );
}
