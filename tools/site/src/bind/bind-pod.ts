import { nearest, omitUndefined, type Position } from '#core';
import type { Container, ContainerTemplate, ExternalImage, Resources, Site } from '#definitions';
import type { BoundContainer, BoundExternal, BoundPod, ProbeKind } from '../model/bound.ts';
import { PROBE_KINDS } from '../model/bound.ts';
import type { Instance } from '../model/instance.ts';
import type { SiteInput } from '../model/types.ts';
import { allValid, andThen, invalid, mapValid, valid, type Checked } from './checked.ts';
import type { Scope } from './facts.ts';
import { bindProbeCommand, bindProcess } from './process.ts';

/** A pod whose references are not resolved yet. */
export interface UnboundPod {
  readonly instance: Instance;
  readonly scope: Scope;
  /** Workload of the app spec; absent for jobs. */
  readonly workload?: string;
  readonly containers: Readonly<Record<string, UnboundContainer>>;
}

interface UnboundContainer {
  readonly spec: ContainerTemplate & Partial<Container>;
  /** Path in the app spec. */
  readonly path: readonly string[];
  readonly resources?: Resources;
}

/** Position of a value of a container: in the app spec, or in the site if the site sets it. */
type PositionIn = (path: readonly (string | number)[]) => Position;

/**
 * Resolves the containers of a pod. Findings of all containers: `image-missing`, `kolla-command`,
 * and the findings of `bindProcess`.
 */
export function bindPod(
  pod: UnboundPod,
  input: Pick<SiteInput, 'site' | 'imageSet'>,
): Checked<BoundPod> {
  const containers = Object.entries(pod.containers).map(([name, of]) =>
    mapValid(bindContainer(pod, name, of, input), (container) => [name, container] as const),
  );
  return mapValid(allValid(containers), (bound) => ({
    instance: pod.instance,
    ...omitUndefined({ workload: pod.workload }),
    containers: Object.fromEntries(bound),
  }));
}

function bindContainer(
  { instance, scope, workload }: UnboundPod,
  name: string,
  { spec: own, path, resources }: UnboundContainer,
  { site, imageSet }: Pick<SiteInput, 'site' | 'imageSet'>,
): Checked<BoundContainer> {
  const image = own.image ?? instance.spec.name;
  const external = externalOf(site, image, workload === undefined ? name : `${workload}.${name}`);
  const replaced = external?.image.commands?.[external.place];
  const spec = replaced === undefined ? own : { ...own, command: replaced };
  const position: PositionIn = ([first = '', ...rest]) =>
    external !== undefined && replaced !== undefined && first === 'command'
      ? site.position(['external', image, 'commands', external.place, ...rest])
      : instance.spec.position([...path, first, ...rest]);
  const parts = allValid([
    imageReference(instance, image, path, { site, imageSet }),
    bindProcess(spec, scope, position),
    bindProbes(spec, scope, position),
  ]);
  return andThen(parts, ([reference, { env, command }, probes]) =>
    mapValid(checkKollaCommand(external?.image, command, position), () => ({
      spec,
      image: reference,
      env,
      command,
      probes,
      ...omitUndefined({ resources, external }),
    })),
  );
}

function externalOf(
  { external = {} }: Site,
  name: string,
  place: string,
): BoundExternal | undefined {
  const image = external[name];
  return image === undefined ? undefined : { name, image, place };
}

function bindProbes(
  { probes = {} }: UnboundContainer['spec'],
  scope: Scope,
  position: PositionIn,
): Checked<BoundContainer['probes']> {
  const commands = PROBE_KINDS.flatMap((kind) => {
    const { exec, http, tcp } = probes[kind] ?? {};
    if (exec === undefined || http !== undefined || tcp !== undefined) return [];
    return [
      mapValid(
        bindProbeCommand(exec, scope, position(['probes', kind])),
        (command): readonly [ProbeKind, readonly string[]] => [kind, command],
      ),
    ];
  });
  return mapValid(allValid(commands), Object.fromEntries);
}

/** `REGISTRY/NAME@DIGEST`, or the site's reference of an external image. */
function imageReference(
  instance: Instance,
  name: string,
  path: readonly string[],
  { site, imageSet }: Pick<SiteInput, 'site' | 'imageSet'>,
): Checked<string> {
  const external = site.external?.[name];
  if (external !== undefined) return valid(external.reference);
  const image = imageSet.images.find((candidate) => candidate.name === name);
  if (image !== undefined) return valid(`${site.registry}/${name}@${image.digest}`);
  const meant = nearest(
    name,
    imageSet.images.map((candidate) => candidate.name),
  );
  return invalid({
    code: 'image-missing',
    message: `"${instance.name}" runs the image "${name}", which the image set does not have`,
    hint:
      meant === undefined
        ? `build it: ccp build ${name}`
        : `did you mean "${meant}"? else build it: ccp build ${name}`,
    at: instance.spec.position(path),
  });
}

/** Kolla splits a command at spaces, and nothing expands variables in it. */
function checkKollaCommand(
  external: ExternalImage | undefined,
  command: readonly string[],
  position: PositionIn,
): Checked<undefined> {
  const unfit =
    external?.runtime === 'kolla'
      ? command.find((word) => /[\s*?[\]\\]|\$\(/.test(word) || word === '')
      : undefined;
  if (unfit === undefined) return valid(undefined);
  return invalid({
    code: 'kolla-command',
    message: `${JSON.stringify(unfit)} is not allowed in the command of a Kolla image: Kolla splits commands at spaces and expands no variables`,
    hint: 'set another command in the site: external.IMAGE.commands',
    at: position(['command']),
  });
}
