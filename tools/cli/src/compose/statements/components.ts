import type { ImageName } from '#core';
import { IMAGE_STAGES, readLock, type Lock } from '#locks';
import { purlOf, pythonName, type Component } from '#release';
import { definitionOf } from '../inputs.ts';
import type { Project } from '../project.ts';

/** Version of the module of a Go toolchain, like `v0.0.1-go1.26.8.linux-amd64`. */
const GO_TOOLCHAIN = /^v0\.0\.1-go(\d+\.\d+(?:\.\d+|rc\d+)?)\./;

/**
 * The packages in an image by its lock and those of the images below it. A package of an image
 * replaces the one of an image below.
 */
export function componentsOf(project: Project, image: ImageName): readonly Component[] {
  const found = new Map<string, Component>();
  for (const each of layersOf(project, image))
    for (const component of ownComponents(project, each))
      found.set(`${component.kind} ${component.name} ${component.architecture}`, component);
  return [...found.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

/** An image and the images below it, the lowest first. */
function layersOf(project: Project, image: ImageName): readonly ImageName[] {
  const { base } = definitionOf(project, image).parents;
  return [...(base === undefined ? [] : layersOf(project, base)), image];
}

/** Parsed locks are large, and an image below many others is read for each of them. */
const known = new WeakMap<Project, Map<ImageName, readonly Component[]>>();

function ownComponents(project: Project, image: ImageName): readonly Component[] {
  const images = known.get(project) ?? new Map<ImageName, readonly Component[]>();
  known.set(project, images);
  const components = images.get(image) ?? readComponents(project, image);
  images.set(image, components);
  return components;
}

function readComponents(project: Project, image: ImageName): readonly Component[] {
  const { series } = project;
  const definition = definitionOf(project, image);
  const lock = readLock(definition, series.name);
  return [
    ...IMAGE_STAGES.flatMap((stage) => lock.debian[stage] ?? []).map(
      ({ name, version, architecture, sha256, pool }): Component => ({
        kind: 'debian',
        name,
        version,
        architecture,
        sha256,
        file: pool.slice(pool.lastIndexOf('/') + 1),
        purl: purlOf('deb', `debian/${name}`, version, {
          arch: architecture,
          distro: series.suite,
        }),
      }),
    ),
    ...lock.python.runtime.map(({ name, version, file, sha256 }): Component => ({
      kind: 'python',
      name,
      version,
      file,
      sha256,
      purl: purlOf('pypi', pythonName(name), version),
      distribution: true,
    })),
    ...(lock.go?.files ?? []).flatMap((file): readonly Component[] =>
      file.kind === 'zip'
        ? [
            {
              kind: 'go',
              name: file.name,
              version: file.version,
              sha256: file.sha256,
              purl: purlOf('golang', file.name, file.version),
            },
          ]
        : [],
    ),
    ...standardLibrary(project, image),
    ...(lock.npm ?? []).map(({ name, version, file, sha256 }): Component => ({
      kind: 'npm',
      name,
      version,
      file,
      sha256,
      purl: purlOf('npm', name, version),
    })),
    ...Object.entries(lock.sources).map(([key, source]) =>
      sourceComponent(key, source, key === definition.python?.project),
    ),
  ];
}

/** Go's standard library in the programs of an image, from the toolchain that its builder locks. */
function standardLibrary(project: Project, image: ImageName): readonly Component[] {
  const { go, parents } = definitionOf(project, image);
  if (go === undefined || Object.keys(go.programs).length === 0) return [];
  const toolchains = Object.values(parents).flatMap(
    (parent) => readLock(definitionOf(project, parent), project.series.name).go?.files ?? [],
  );
  return toolchains.flatMap(({ name, version, kind, sha256 }): readonly Component[] => {
    const found = GO_TOOLCHAIN.exec(version)?.[1];
    return name !== 'golang.org/toolchain' || kind !== 'zip' || found === undefined
      ? []
      : [
          {
            kind: 'go',
            name: 'stdlib',
            version: found,
            sha256,
            purl: purlOf('golang', 'stdlib', found),
          },
        ];
  });
}

function sourceComponent(
  key: string,
  { repository, commit, version, archive }: Lock['sources'][string],
  isProject: boolean,
): Component {
  const vcs = { vcs_url: `git+${repository}@${commit}` };
  const name = isProject ? (archive?.name ?? key) : key;
  return {
    kind: 'source',
    name,
    version,
    purl: isProject
      ? purlOf('pypi', pythonName(name), version, vcs)
      : purlOf('generic', key, version, vcs),
    ...(archive === undefined ? {} : { sha256: archive.sha256, file: archive.file }),
    ...(isProject ? { distribution: true as const } : {}),
  };
}
