import type { CcpError } from '#core';
import type { Site } from '#definitions';
import type { BoundFile, InstanceFiles } from '../model/bound.ts';
import type { Instance } from '../model/instance.ts';
import { andThen, findingsOf, invalid, valid, type Checked } from './checked.ts';
import { bindConfigFile, configLayers, type PlacedLayer } from './config-file.ts';
import type { Scope } from './facts.ts';

/**
 * Maximum bytes of a ConfigMap, names included:
 * https://kubernetes.io/docs/concepts/configuration/configmap/
 */
const MAX_BYTES = 1024 * 1024;

/**
 * Writes the configuration files of an instance: for each group of its nodes, and for all other
 * nodes. Findings as of `bindConfigFile`, and `config-too-large`; files with findings are empty.
 */
export function bindFiles(
  instance: Instance,
  scope: Scope,
  site: Site,
): { readonly files: InstanceFiles; readonly findings: readonly CcpError[] } {
  const groups = Object.keys(instance.settings.nodes ?? {}).map(
    (group) => [group, filesOf(instance, scope, site, group)] as const,
  );
  const own = filesOf(instance, scope, site);
  return {
    files: {
      files: own.files,
      ofGroups: new Map(groups.map(([group, { files }]) => [group, files])),
    },
    findings: [...groups.flatMap(([, { findings }]) => findings), ...own.findings],
  };
}

function filesOf(
  instance: Instance,
  scope: Scope,
  site: Site,
  group?: string,
): { readonly files: ReadonlyMap<string, BoundFile>; readonly findings: readonly CcpError[] } {
  const all = Object.entries(instance.spec.config ?? {}).map(([key, spec]) => {
    const layers = configLayers(
      spec,
      scope,
      (path) => instance.spec.position(['config', key, 'layers', ...path]),
      overridesOf(instance, key, site, group),
    );
    const text = andThen(bindConfigFile(spec.format, layers, scope), (written) =>
      withinLimit(key, written, layers),
    );
    const file: BoundFile = {
      key,
      executable: spec.executable === true,
      live: spec.live !== true ? undefined : group === undefined ? 'live' : `live-${group}`,
      text: 'value' in text ? text.value : '',
    };
    return { file, findings: findingsOf(text) };
  });
  return {
    files: new Map(all.map(({ file }) => [file.key, file])),
    findings: all.flatMap(({ findings }) => findings),
  };
}

/** Layers of the site: for all nodes, then for the group. */
function overridesOf(
  { name, settings }: Instance,
  key: string,
  site: Site,
  group: string | undefined,
): PlacedLayer[] {
  const override = (
    content: PlacedLayer['content'] | undefined,
    path: readonly string[],
  ): PlacedLayer[] =>
    content === undefined
      ? []
      : [{ content, position: (inner) => site.position(['apps', name, ...path, ...inner]) }];
  const ofGroup =
    group === undefined
      ? []
      : override(settings.nodes?.[group]?.config?.[key], ['nodes', group, 'config', key]);
  return [...override(settings.config?.[key], ['config', key]), ...ofGroup];
}

function withinLimit(key: string, text: string, layers: readonly PlacedLayer[]): Checked<string> {
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return valid(text);
  return invalid({
    code: 'config-too-large',
    message: `the file "${key}" has ${bytes} bytes with its name; a ConfigMap can contain at most ${MAX_BYTES}`,
    hint: 'make it smaller, or put long parts into the image',
    at: layers.at(-1)!.position([]),
  });
}
