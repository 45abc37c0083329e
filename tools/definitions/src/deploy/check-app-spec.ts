import { CcpError, nearest } from '#core';
import type { AppSpec, ContainerTemplate, Probe, Volume } from './app-spec.ts';
import { checkActions } from './check-actions.ts';
import { checkKind } from './check-kind.ts';

type Path = readonly (string | number)[];

/** What an app spec names and does not have, and what contradicts itself; `app-spec-invalid` each, at its place. */
export function checkAppSpec(spec: AppSpec): CcpError[] {
  const findings: CcpError[] = [];
  const refuse = (path: Path, message: string, hint?: string): void => {
    findings.push(new CcpError({ code: 'app-spec-invalid', message, at: spec.position(path), ...(hint === undefined ? {} : { hint }) }));
  };
  const known = (path: Path, what: string, name: string, names: Iterable<string>): void => {
    const list = [...names];
    if (list.includes(name)) return;
    const meant = nearest(name, list);
    refuse(path, `there is no ${what} "${name}"`, meant === undefined ? `known: ${list.join(', ') || 'none'}` : `did you mean "${meant}"?`);
  };
  const checkVolumes = (path: Path, volumes: Readonly<Record<string, Volume>>, claims: boolean): void => {
    for (const [name, volume] of Object.entries(volumes)) {
      const at = [...path, name];
      if (Object.keys(volume).length !== 1) refuse(at, `the volume "${name}" must be exactly one of claim, ephemeral, secret, host and shared`);
      if (volume.shared !== undefined) known([...at, 'shared'], 'claim', volume.shared, Object.keys(spec.claims ?? {}));
      if (volume.claim !== undefined && !claims) refuse(at, `the volume "${name}" is a claim, which only a StatefulSet has`);
      if (volume.host?.path === '/' && !volume.host.readOnly) refuse([...at, 'host'], 'all of a node is given only for reading');
      if (volume.host?.propagation === 'both' && volume.host.readOnly) refuse([...at, 'host'], 'mounts go both ways only where the container may write');
      if (volume.secret !== undefined) known([...at, 'secret'], 'secret', volume.secret, Object.keys(spec.secrets ?? {}));
    }
  };
  const checkContainer = (path: Path, container: ContainerTemplate, volumes: Readonly<Record<string, Volume>>): void => {
    for (const file of Object.keys(container.files ?? {})) known([...path, 'files', file], 'configuration file', file, Object.keys(spec.config ?? {}));
    if (container.ca !== undefined && Object.hasOwn(container.env ?? {}, container.ca.env)) refuse([...path, 'ca', 'env'], `the variable "${container.ca.env}" is set already`);
    for (const mount of Object.keys(container.mounts ?? {})) known([...path, 'mounts', mount], 'volume', mount, Object.keys(volumes));
  };
  const checkProbe = (path: Path, probe: Probe | undefined, ports: readonly string[]): void => {
    if (probe === undefined) return;
    const kinds = (['http', 'tcp', 'exec'] as const).filter((kind) => probe[kind] !== undefined);
    if (kinds.length !== 1) refuse(path, 'a probe must be exactly one of http, tcp and exec');
    if (probe.http !== undefined) known([...path, 'http', 'port'], 'port', probe.http.port, ports);
    if (probe.tcp !== undefined) known([...path, 'tcp', 'port'], 'port', probe.tcp.port, ports);
  };

  for (const [name, workload] of Object.entries(spec.workloads)) {
    const path = ['workloads', name];
    checkVolumes([...path, 'volumes'], workload.volumes ?? {}, workload.kind === 'StatefulSet');
    findings.push(...checkKind(spec, name, workload));
    for (const [index, required] of (workload.requires ?? []).entries()) {
      const nodeServices = Object.entries(spec.requires ?? {}).filter(([, { kind }]) => kind === 'node-service').map(([key]) => key);
      const others = Object.keys(spec.workloads).filter((other) => other !== name);
      const [wanted = '', local] = required.split(':');
      known([...path, 'requires', index], local === undefined ? 'other workload' : 'other workload or required node-service', wanted, local === undefined ? others : [...others, ...nodeServices]);
    }
    const leave = workload.replicas?.leave;
    if (leave !== undefined) {
      known([...path, 'replicas', 'leave'], 'action', leave, Object.keys(spec.actions ?? {}));
      const asked = Object.entries(spec.actions?.[leave]?.parameters ?? {}).filter(([, parameter]) => parameter.default === undefined).map(([key]) => key);
      if (asked.length > 0) refuse([...path, 'replicas', 'leave'], `nobody gives "${leave}" its ${asked.join(', ')} when the workload shrinks`);
    }
    if (workload.shareProcessNamespace === true) {
      const at = [...path, 'shareProcessNamespace'];
      if (Object.keys(workload.containers).length > 1) refuse(at, 'containers that see each other\'s processes see their secrets too, and their probes count each other\'s');
      if (workload.host?.processes !== undefined) refuse(at, 'what sees the node\'s processes has no process namespace of its own');
    }
    const ports = portsOf(spec, name);
    if (new Set(ports).size !== ports.length) refuse([...path, 'containers'], `two containers of "${name}" have a port of the same name`);
    for (const [key, container] of Object.entries(workload.containers)) {
      const at = [...path, 'containers', key];
      checkContainer(at, container, workload.volumes ?? {});
      for (const [kind, probe] of Object.entries(container.probes ?? {})) checkProbe([...at, 'probes', kind], probe, Object.keys(container.ports ?? {}));
    }
  }
  for (const [name, job] of Object.entries(spec.jobs ?? {})) {
    checkVolumes(['jobs', name, 'volumes'], job.volumes ?? {}, false);
    checkContainer(['jobs', name], job, job.volumes ?? {});
    const peers = Object.entries(spec.jobs ?? {}).filter(([, other]) => other.phase === job.phase);
    for (const [index, after] of (job.after ?? []).entries()) known(['jobs', name, 'after', index], `job of phase ${job.phase}`, after, peers.map(([peer]) => peer));
  }
  for (const group of ['actions', 'checks'] as const) {
    for (const [name, action] of Object.entries(spec[group] ?? {})) {
      checkVolumes([group, name, 'volumes'], action.volumes ?? {}, false);
      checkContainer([group, name], action, action.volumes ?? {});
    }
  }
  findings.push(...checkActions(spec));
  for (const [name, requirement] of Object.entries(spec.requires ?? {})) {
    if (requirement.also !== undefined && requirement.kind !== 'database') refuse(['requires', name, 'also'], 'only a database has further databases');
    if (requirement.wait === false && requirement.kind !== 'endpoint') refuse(['requires', name, 'wait'], 'only an endpoint need not be waited for: the others are made before the app starts');
  }
  for (const [name, provision] of Object.entries(spec.provides ?? {})) {
    const path = ['provides', name];
    for (const key of ['carries', 'catalogue', 'secret'] as const) {
      if (provision[key] !== undefined && provision.kind !== 'endpoint') refuse([...path, key], `only an endpoint has "${key}"`);
    }
    known([...path, 'workload'], 'workload', provision.workload, Object.keys(spec.workloads));
    if (provision.kind === 'node-service') {
      if (provision.port !== undefined || provision.setup !== undefined) refuse(path, 'a node-service has neither port nor setup');
    } else if (provision.port === undefined) refuse(path, `what is of kind ${provision.kind} has a port`);
    else if (Object.hasOwn(spec.workloads, provision.workload)) known([...path, 'port'], 'port', provision.port, portsOf(spec, provision.workload));
    if (provision.secret !== undefined) {
      const passwords = Object.entries(spec.secrets ?? {}).filter(([, { generate }]) => generate === 'password');
      known([...path, 'secret'], 'password', provision.secret, passwords.map(([secret]) => secret));
    }
    if (provision.setup === undefined) continue;
    checkVolumes([...path, 'setup', 'volumes'], provision.setup.volumes ?? {}, false);
    checkContainer([...path, 'setup'], provision.setup, provision.setup.volumes ?? {});
  }
  return findings;
}

function portsOf(spec: AppSpec, workload: string): string[] {
  return Object.values(spec.workloads[workload]?.containers ?? {}).flatMap((container) => Object.keys(container.ports ?? {}));
}
