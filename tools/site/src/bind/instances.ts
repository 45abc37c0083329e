import { CcpError, nearest } from '#core';
import type { AppSpec, Provision, Requirement, Workload } from '#definitions';
import type { Instance, Binding } from '../model/instance.ts';
import { isMet } from '../model/is-met.ts';
import { withNodeGroups } from '../model/node-groups.ts';
import type { SiteInput } from '../model/types.ts';
import { checkExpose } from './check-expose.ts';
import { checkOverrides } from './check-overrides.ts';
import { checkSite } from './check-site.ts';

/**
 * Binds the requirements of a site's instances. Returns the instances by name and all findings with positions: `app-unknown`,
 * `provider-missing`, `provider-ambiguous`, `site-invalid`. With findings, instances of unknown apps are left out and unbound
 * requirements are treated as optional. `isWhole` is true if every app is known and every requirement is bound.
 */
export function bindInstances({ site, appSpecs }: Pick<SiteInput, 'site' | 'appSpecs'>): {
  readonly instances: ReadonlyMap<string, Instance>;
  readonly findings: readonly CcpError[];
  readonly isWhole: boolean;
} {
  const findings: CcpError[] = [];
  let isWhole = true;
  const specs = new Map<string, AppSpec>();
  for (const [name, app] of Object.entries(site.apps)) {
    const wanted = app.app ?? name;
    const spec = appSpecs.get(wanted);
    if (spec !== undefined) specs.set(name, spec);
    else {
      isWhole = false;
      const meant = nearest(wanted, appSpecs.keys());
      const hint =
        meant === undefined
          ? `known apps: ${[...appSpecs.keys()].join(', ')}`
          : `did you mean "${meant}"?`;
      findings.push(
        new CcpError({
          code: 'app-unknown',
          message: `unknown app "${wanted}"`,
          hint,
          at: site.position(['apps', name]),
        }),
      );
    }
  }
  const instances = new Map<string, Instance>();
  for (const [name, spec] of [...specs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const settings = site.apps[name]!;
    const bindings = new Map<string, Binding>();
    const missing: CcpError[] = [];
    for (const [key, requirement] of Object.entries(spec.requires ?? {})) {
      const found = bind({
        site,
        specs,
        name,
        spec,
        key,
        requirement,
        chosen: settings.requires?.[key],
      });
      if (found instanceof CcpError) missing.push(found);
      else if (found !== undefined) bindings.set(key, found);
    }
    if (missing.length > 0) isWhole = false;
    const running = { ...spec, workloads: workloadsThatRun(spec, bindings) };
    findings.push(...checkOverrides({ site, name, spec: running, settings }), ...missing);
    instances.set(name, { name, settings, bindings, ...withNodeGroups(running, settings.nodes) });
  }
  findings.push(
    ...checkSite(site, [...specs.values()], instances),
    ...checkExpose(site, instances),
  );
  return { instances, findings, isWhole };
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

function bind({
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

/** Returns the workloads that a workload waits for. `local` requires a pod on the same node. Unbound requirements are left out. */
export function requiredWorkloads(
  { name, bindings, spec }: Instance,
  { requires = [] }: Workload,
): { readonly instance: string; readonly workload: string; readonly local: boolean }[] {
  return requires.flatMap((required) => {
    const [wanted = '', suffix] = required.split(':');
    const local = suffix === 'local';
    if (Object.hasOwn(spec.workloads, wanted)) return [{ instance: name, workload: wanted, local }];
    const binding = bindings.get(wanted);
    return binding !== undefined && 'provider' in binding
      ? [{ instance: binding.provider, workload: binding.workload, local }]
      : [];
  });
}
