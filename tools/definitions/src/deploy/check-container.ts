import { resourceFaults } from '#core';
import type { AppSpec, ContainerTemplate, Probe, Volume } from './app-spec.ts';
import type { SpecFindings, SpecPath } from './spec-findings.ts';

type Volumes = Readonly<Record<string, Volume>>;

/** A container and its volumes, of what runs to its end: a job, a setup, an action, a check. */
export function checkJobContainer(spec: AppSpec, path: SpecPath, job: ContainerTemplate & { readonly volumes?: Volumes }, found: SpecFindings): void {
  checkVolumes(spec, [...path, 'volumes'], job.volumes ?? {}, { claims: false }, found);
  checkContainer(spec, path, job, job.volumes ?? {}, found);
}

/** Volumes that are nothing, or two things, or what their pod cannot have; `claims` is whether it may have claims of its own. */
export function checkVolumes(spec: AppSpec, path: SpecPath, volumes: Volumes, { claims }: { readonly claims: boolean }, { refuse, known }: SpecFindings): void {
  for (const [name, volume] of Object.entries(volumes)) {
    const at = [...path, name];
    if (Object.keys(volume).length !== 1) refuse(at, `the volume "${name}" must be exactly one of claim, ephemeral, secret, host and shared`);
    if (volume.shared !== undefined) known([...at, 'shared'], 'claim', volume.shared, Object.keys(spec.claims ?? {}));
    if (volume.claim !== undefined && !claims) refuse(at, `the volume "${name}" is a claim, which only a StatefulSet has`);
    if (volume.host?.path === '/' && !volume.host.readOnly) refuse([...at, 'host'], 'all of a node is given only for reading');
    if (volume.host?.propagation === 'both' && volume.host.readOnly) refuse([...at, 'host'], 'mounts go both ways only where the container may write');
    if (volume.secret !== undefined) known([...at, 'secret'], 'secret', volume.secret, Object.keys(spec.secrets ?? {}));
  }
}

/** What a container names and its app does not have, and what it cannot be given. */
export function checkContainer(spec: AppSpec, path: SpecPath, container: ContainerTemplate, volumes: Volumes, found: SpecFindings): void {
  const { refuse, known } = found;
  checkMountPaths(path, container, found);
  for (const { resource, message } of resourceFaults(container.resources)) refuse([...path, 'resources', 'requests', resource], `the container ${message}`);
  for (const file of Object.keys(container.files ?? {})) known([...path, 'files', file], 'configuration file', file, Object.keys(spec.config ?? {}));
  if (container.ca !== undefined && Object.hasOwn(container.env ?? {}, container.ca.env))
    refuse([...path, 'ca', 'env'], `the variable "${container.ca.env}" is set already`);
  for (const mount of Object.keys(container.mounts ?? {})) known([...path, 'mounts', mount], 'volume', mount, Object.keys(volumes));
}

/** Two things of a container at one path. */
function checkMountPaths(path: SpecPath, { files = {}, mounts = {}, ca }: ContainerTemplate, { refuse }: SpecFindings): void {
  const there = new Map<string, string>();
  const mount = (at: SpecPath, what: string, target: string): void => {
    const first = there.get(target);
    if (first === undefined) there.set(target, what);
    else refuse([...path, ...at], `${first} and ${what} are both at ${target}`);
  };
  for (const [file, target] of Object.entries(files)) mount(['files', file], `the file "${file}"`, target);
  for (const [volume, target] of Object.entries(mounts)) mount(['mounts', volume], `the volume "${volume}"`, target);
  if (ca !== undefined) mount(['ca', 'path'], 'the file of authorities', ca.path);
}

/** A probe that is nothing, or two things, or asks at a port that its container does not have. */
export function checkProbe(path: SpecPath, probe: Probe, ports: readonly string[], { refuse, known }: SpecFindings): void {
  const kinds = (['http', 'tcp', 'exec'] as const).filter((kind) => probe[kind] !== undefined);
  if (kinds.length !== 1) refuse(path, 'a probe must be exactly one of http, tcp and exec');
  if (probe.http !== undefined) known([...path, 'http', 'port'], 'port', probe.http.port, ports);
  if (probe.tcp !== undefined) known([...path, 'tcp', 'port'], 'port', probe.tcp.port, ports);
}
