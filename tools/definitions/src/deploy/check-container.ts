import { posix } from 'node:path';
import { resourceFaults } from '#formats';
import type { AppSpec, ContainerTemplate } from './app-spec.ts';
import type { ProbeSpec } from './container-parts.ts';
import type { SpecFindings, SpecPath } from './spec-findings.ts';
import type { Volume } from './volume.ts';

type Volumes = Readonly<Record<string, Volume>>;

/** Checks the container and the volumes of a job, a setup, an action or a check. */
export function checkJobContainer(
  spec: AppSpec,
  path: SpecPath,
  job: ContainerTemplate & { readonly volumes?: Volumes },
  found: SpecFindings,
): void {
  checkVolumes(spec, [...path, 'volumes'], job.volumes ?? {}, { claims: false }, found);
  checkContainer(spec, path, job, job.volumes ?? {}, found);
}

/** Checks volumes; `claims` states whether the pod can have claims. */
export function checkVolumes(
  spec: AppSpec,
  path: SpecPath,
  volumes: Volumes,
  { claims }: { readonly claims: boolean },
  { refuse, known }: SpecFindings,
): void {
  for (const [name, volume] of Object.entries(volumes)) {
    const at = [...path, name];
    if (Object.keys(volume).length !== 1)
      refuse(
        at,
        `the volume "${name}" must be exactly one of claim, ephemeral, secret, host and shared`,
      );
    if (volume.shared !== undefined)
      known([...at, 'shared'], 'claim', volume.shared, Object.keys(spec.claims ?? {}));
    if (volume.claim !== undefined && !claims)
      refuse(at, `the volume "${name}" is a claim; only a StatefulSet can have claims`);
    if (volume.host?.path === '/' && !volume.host.readOnly)
      refuse([...at, 'host'], 'the path / of a node can only be mounted with readOnly: true');
    if (volume.host?.propagation === 'both' && volume.host.readOnly)
      refuse([...at, 'host'], 'propagation "both" requires readOnly: false');
    if (volume.secret !== undefined)
      known([...at, 'secret'], 'secret', volume.secret, Object.keys(spec.secrets ?? {}));
  }
}

/** Checks a container's mounts, resources and references. */
export function checkContainer(
  spec: AppSpec,
  path: SpecPath,
  container: ContainerTemplate,
  volumes: Volumes,
  found: SpecFindings,
): void {
  const { refuse, known } = found;
  checkMountPaths(path, container, found);
  checkLiveFiles(spec, path, container, found);
  for (const { resource, message } of resourceFaults(container.resources))
    refuse([...path, 'resources', 'requests', resource], `the container ${message}`);
  for (const file of Object.keys(container.files ?? {}))
    known([...path, 'files', file], 'configuration file', file, Object.keys(spec.config ?? {}));
  if (container.ca !== undefined && Object.hasOwn(container.env ?? {}, container.ca.env))
    refuse([...path, 'ca', 'env'], `the variable "${container.ca.env}" is also set in env`);
  for (const mount of Object.keys(container.mounts ?? {}))
    known([...path, 'mounts', mount], 'volume', mount, Object.keys(volumes));
}

/**
 * Refuses a live file that has another name in the container, or a folder with other files:
 * Kubernetes mounts the folder as a whole.
 */
function checkLiveFiles(
  spec: AppSpec,
  path: SpecPath,
  { files = {}, mounts = {}, ca }: ContainerTemplate,
  { refuse }: SpecFindings,
): void {
  const targets = [
    ...Object.values(files),
    ...Object.values(mounts),
    ...(ca === undefined ? [] : [ca.path]),
  ];
  for (const [file, target] of Object.entries(files)) {
    if (spec.config?.[file]?.live !== true) continue;
    const folder = posix.dirname(target);
    if (posix.basename(target) !== file)
      refuse([...path, 'files', file], `the live file "${file}" must have this name in its folder`);
    const others = targets.filter(
      (other) => other !== target && (other === folder || other.startsWith(`${folder}/`)),
    );
    if (others.length > 0)
      refuse(
        [...path, 'files', file],
        `the live file "${file}" needs a folder of its own, but ${others[0]} is also in ${folder}`,
      );
  }
}

/** Refuses two mounts of a container at the same path. */
function checkMountPaths(
  path: SpecPath,
  { files = {}, mounts = {}, ca }: ContainerTemplate,
  { refuse }: SpecFindings,
): void {
  const there = new Map<string, string>();
  const mount = (at: SpecPath, what: string, target: string): void => {
    const first = there.get(target);
    if (first === undefined) there.set(target, what);
    else refuse([...path, ...at], `${first} and ${what} are both mounted at ${target}`);
  };
  for (const [file, target] of Object.entries(files))
    mount(['files', file], `the file "${file}"`, target);
  for (const [volume, target] of Object.entries(mounts))
    mount(['mounts', volume], `the volume "${volume}"`, target);
  if (ca !== undefined) mount(['ca', 'path'], 'the file of CA certificates', ca.path);
}

/** Checks that a probe has exactly one kind and names a port of its container. */
export function checkProbe(
  path: SpecPath,
  probe: ProbeSpec,
  ports: readonly string[],
  { refuse, known }: SpecFindings,
): void {
  const kinds = (['http', 'tcp', 'exec'] as const).filter((kind) => probe[kind] !== undefined);
  if (kinds.length !== 1) refuse(path, 'a probe must be exactly one of http, tcp and exec');
  if (probe.http !== undefined) known([...path, 'http', 'port'], 'port', probe.http.port, ports);
  if (probe.tcp !== undefined) known([...path, 'tcp', 'port'], 'port', probe.tcp.port, ports);
}
