import { CcpError, nearest } from '#core';
import type { AppSpec, Site, SiteApp } from '#definitions';
import { imagesOf } from './images-of.ts';
import { objectName } from './names.ts';
import { SECRETS_IMAGE } from './secrets-job.ts';
import { ACCOUNT_KINDS } from './secret-requests.ts';

/** Kubernetes puts a StatefulSet's name, a dash and a revision's hash into a label of at most 63 characters. */
const MAX_OBJECT_NAME = 52;

export interface Overrides {
  readonly site: Site;
  readonly name: string;
  readonly spec: AppSpec;
  readonly settings: SiteApp;
}

/** Images of others that the site names and no app runs; `site-invalid` each, at its place. */
export function checkExternal(site: Site, specs: Iterable<AppSpec>): CcpError[] {
  const used = new Set([...specs].flatMap((spec) => [spec.name, ...imagesOf(spec)]));
  return Object.keys(site.external ?? {}).filter((name) => !used.has(name) && name !== SECRETS_IMAGE).map((name) => {
    const meant = nearest(name, used);
    return new CcpError({ code: 'site-invalid', message: `no app of the site runs the image "${name}"`, hint: meant === undefined ? `known: ${[...used].join(', ')}` : `did you mean "${meant}"?`, at: site.position(['external', name]) });
  });
}

/** Namespaces that are Kubernetes' own; the site's is labelled and filled. `site-invalid` at its place. */
export function checkNamespace(site: Site): CcpError[] {
  if (!site.namespace.startsWith('kube-')) return [];
  return [new CcpError({ code: 'site-invalid', message: `the namespace "${site.namespace}" is kept for Kubernetes itself`, hint: 'give the site a namespace of its own', at: site.position(['namespace']) })];
}

/** What the site says about one instance and its app spec does not allow; `site-invalid` each, at its place. */
export function checkOverrides({ site, name, spec, settings }: Overrides): CcpError[] {
  const findings: CcpError[] = [];
  const refuse = (path: readonly string[], message: string, hint?: string): void => {
    const at = site.position(['apps', name, ...path]);
    findings.push(new CcpError({ code: 'site-invalid', message, at, ...(hint === undefined ? {} : { hint }) }));
  };
  const known = (key: keyof SiteApp & string, what: string, names: readonly string[]): void => {
    for (const wanted of Object.keys(settings[key] ?? {})) {
      if (names.includes(wanted)) continue;
      const meant = nearest(wanted, names);
      refuse([key, wanted], `"${spec.name}" has no ${what} "${wanted}"`, meant === undefined ? `known: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`);
    }
  };
  const endpoints = Object.entries(spec.provides ?? {}).filter(([, provision]) => provision.kind === 'endpoint');
  known('requires', 'requirement', Object.keys(spec.requires ?? {}));
  known('replicas', 'workload', Object.keys(spec.workloads));
  known('settings', 'setting', Object.keys(spec.settings ?? {}));
  known('config', 'configuration file', Object.keys(spec.config ?? {}));
  known('resources', 'workload', Object.keys(spec.workloads));
  known('hosts', 'endpoint', endpoints.map(([key]) => key));
  const accounts = Object.entries(spec.requires ?? {}).filter(([, { kind }]) => ACCOUNT_KINDS.has(kind)).map(([key]) => key);
  known('generations', 'generated Secret', [...Object.keys(spec.secrets ?? {}), ...accounts]);
  known('schedule', 'schedule', Object.keys(spec.schedule ?? {}));
  for (const action of [...Object.keys(spec.actions ?? {}), ...Object.keys(spec.checks ?? {}), ...Object.keys(spec.schedule ?? {})]) {
    if (`${name}-${action}`.length > MAX_OBJECT_NAME) refuse([], `the name "${name}-${action}" is longer than ${MAX_OBJECT_NAME} characters, which its jobs need`);
  }
  if (settings.nodes !== undefined && !Object.values(spec.workloads).some(({ kind }) => kind === 'DaemonSet')) refuse(['nodes'], `"${spec.name}" has no DaemonSet, so nodes cannot differ`);
  for (const [group, { config = {} }] of Object.entries(settings.nodes ?? {})) {
    for (const file of Object.keys(config)) if (!Object.hasOwn(spec.config ?? {}, file)) refuse(['nodes', group, 'config', file], `"${spec.name}" has no configuration file "${file}"`, `known: ${Object.keys(spec.config ?? {}).join(', ') || 'none'}`);
  }
  for (const [key, value] of Object.entries(settings.settings ?? {})) {
    const wanted = typeof spec.settings?.[key]?.default;
    if (spec.settings?.[key] !== undefined && typeof value !== wanted) refuse(['settings', key], `the setting "${key}" must be a ${wanted}`);
  }
  for (const [workload, definition] of Object.entries(spec.workloads)) {
    if (!Object.hasOwn(site.roles, definition.role)) {
      const meant = nearest(definition.role, Object.keys(site.roles));
      findings.push(new CcpError({ code: 'site-invalid', message: `"${name}" runs on nodes of role "${definition.role}", and the site has no such role`, hint: meant === undefined ? 'add it to roles' : `did you mean "${meant}"?`, at: site.position(['roles']) }));
    }
    const object = objectName({ name, spec }, workload);
    if (object.length > MAX_OBJECT_NAME) refuse([], `the name "${object}" is longer than ${MAX_OBJECT_NAME} characters, which labels of its pods need`);
    if (definition.kind === 'DaemonSet') {
      for (const group of Object.keys(settings.nodes ?? {})) {
        if (`${object}-${group}`.length > MAX_OBJECT_NAME) refuse(['nodes', group], `the name "${object}-${group}" is longer than ${MAX_OBJECT_NAME} characters, which labels of its pods need`);
      }
      if (settings.replicas?.[workload] !== undefined) refuse(['replicas', workload], `"${workload}" has a pod on every node of its role, not a number of them`, 'label more or fewer nodes');
      continue;
    }
    const replicas = settings.replicas?.[workload] ?? definition.replicas.default;
    const { rule, maximum = Infinity } = definition.replicas;
    if (rule === 'odd' && replicas > 0 && replicas % 2 === 0) {
      refuse(['replicas', workload], `"${workload}" needs an odd number of replicas to keep a quorum, not ${replicas}`, `use ${replicas - 1} or ${replicas + 1}`);
    }
    if (replicas > maximum) refuse(['replicas', workload], `"${workload}" runs with at most ${maximum} replicas, not ${replicas}`);
  }
  return findings;
}
