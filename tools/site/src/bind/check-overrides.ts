import { nearest, type CcpError } from '#core';
import type { SiteApp } from '#definitions';
import { objectName } from '../model/names.ts';
import { checkNodeGroups } from './check-node-groups.ts';
import { checkReplicas } from './check-replicas.ts';
import { checkResources } from './check-resources.ts';
import { checkSchedules } from './check-schedules.ts';
import { checkSettings } from './check-settings.ts';
import type { Overrides } from './instance-overrides.ts';
import { ACCOUNT_KINDS } from './secret-requests.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Kubernetes stores the name of a StatefulSet, a dash and a revision hash in a label of at most 63
 * characters.
 */
const MAX_OBJECT_NAME = 52;

/**
 * Reports settings of one instance that its app spec does not allow, as `site-invalid` with
 * position.
 */
export function checkOverrides(of: Overrides): readonly CcpError[] {
  return [
    ...checkNames(of),
    ...checkLengths(of),
    ...checkSettings(of),
    ...checkRoles(of),
    ...checkReplicas(of),
    ...checkResources(of),
    ...checkNodeGroups(of),
    ...checkSchedules(of),
  ];
}

function checkNames({ site, name, spec, settings }: Overrides): readonly CcpError[] {
  const { findings, known } = siteFindings(site);
  const { requires = {}, provides = {}, secrets = {}, config = {}, schedule = {} } = spec;
  const accounts = Object.keys(requires).filter((key) => ACCOUNT_KINDS.has(requires[key]!.kind));
  const endpoints = Object.keys(provides).filter((key) => provides[key]!.kind === 'endpoint');
  const named: readonly (readonly [keyof SiteApp & string, string, readonly string[]])[] = [
    ['requires', 'requirement', Object.keys(requires)],
    ['replicas', 'workload', Object.keys(spec.workloads)],
    ['settings', 'setting', Object.keys(spec.settings ?? {})],
    ['config', 'configuration file', Object.keys(config)],
    ['hosts', 'endpoint', endpoints],
    ['generations', 'generated Secret', [...Object.keys(secrets), ...accounts]],
    ['schedule', 'schedule', Object.keys(schedule)],
  ];
  for (const [key, what, names] of named) {
    for (const wanted of Object.keys(settings[key] ?? {}))
      known(['apps', name, key, wanted], `"${spec.name}" has no ${what}`, wanted, names);
  }
  return findings;
}

function checkLengths({ site, name, spec, settings }: Overrides): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const path = ['apps', name];
  const tooLong = (object: string): boolean => object.length > MAX_OBJECT_NAME;
  for (const action of [
    ...Object.keys(spec.actions ?? {}),
    ...Object.keys(spec.checks ?? {}),
    ...Object.keys(spec.schedule ?? {}),
  ]) {
    if (tooLong(`${name}-${action}`))
      refuse(
        path,
        `the name "${name}-${action}" is longer than ${MAX_OBJECT_NAME} characters, the limit for its Jobs`,
      );
  }
  for (const [workload, { kind }] of Object.entries(spec.workloads)) {
    const object = objectName({ name, spec }, workload);
    if (tooLong(object))
      refuse(
        path,
        `the name "${object}" is longer than ${MAX_OBJECT_NAME} characters, the limit for labels of its pods`,
      );
    for (const group of kind === 'DaemonSet' ? Object.keys(settings.nodes ?? {}) : []) {
      if (tooLong(`${object}-${group}`))
        refuse(
          [...path, 'nodes', group],
          `the name "${object}-${group}" is longer than ${MAX_OBJECT_NAME} characters, the limit for labels of its pods`,
        );
    }
  }
  return findings;
}

function checkRoles({ site, name, spec }: Overrides): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  for (const { role } of Object.values(spec.workloads)) {
    if (Object.hasOwn(site.roles, role)) continue;
    const meant = nearest(role, Object.keys(site.roles));
    refuse(
      ['roles'],
      `"${name}" needs nodes with role "${role}", which the site does not define`,
      meant === undefined ? 'add the role to "roles"' : `did you mean "${meant}"?`,
    );
  }
  return findings;
}
