import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CreateDependencies,
  CreateNodesV2,
  ProjectConfiguration,
  RawProjectGraphDependency,
} from '@nx/devkit';
import { CcpError, errorText, findingsIn, throwFindings } from '#core';
import {
  readWorkspace,
  runMemo,
  type ImageDefinition,
  type SeriesDefinition,
  type Workspace,
} from '#definitions';
import { buildGraph } from '#graph';
import { imageInputs } from './image-inputs.ts';

let loaded: { readonly root: string; readonly workspace: Workspace } | undefined;

function workspaceAt(root: string): Workspace {
  if (loaded?.root !== root) loaded = { root, workspace: readWorkspace(root, runMemo()) };
  return loaded.workspace;
}

/** Nx prints only the message of an error, so positions and hints are added to the message. */
function withText(thrown: unknown): unknown {
  return thrown instanceof CcpError ? new Error(errorText(thrown), { cause: thrown }) : thrown;
}

/**
 * Creates one project, named as the image, for each image that the workspace defines or overlays. The pattern matches the
 * file that marks a workspace instead of each image.yaml, since Nx 23.3 treats all projects as affected if a file that
 * matches the pattern was deleted.
 */
export const createNodesV2: CreateNodesV2 = [
  '{images/series,overlay}.yaml',
  ([file], _options, context) => {
    loaded = undefined;
    try {
      return file === undefined
        ? []
        : [[file, { projects: projectsOf(workspaceAt(context.workspaceRoot)) }]];
    } catch (thrown) {
      throw withText(thrown);
    }
  },
];

/** Throws the findings of the images of all series, such as missing parents. */
function projectsOf(workspace: Workspace): Record<string, ProjectConfiguration> {
  const { root, images, series } = workspace;
  const findings = new Map<string, CcpError>();
  const members = series.flatMap((each) => {
    try {
      return [{ series: each, images: buildGraph(workspace, each.name).images }];
    } catch (thrown) {
      for (const finding of findingsIn(thrown)) findings.set(finding.message, finding);
      return [];
    }
  });
  throwFindings([...findings.values()]);
  const own = images.filter(({ name }) =>
    ['image', 'overlay'].some((file) => existsSync(join(root, 'images', name, `${file}.yaml`))),
  );
  const names = new Set(own.map(({ name }) => name));
  const projects = own.map((definition) => {
    const has = members
      .filter((each) => each.images.has(definition.name))
      .map((each) => each.series);
    const inputs = imageInputs(workspace, definition, (name) => names.has(name));
    return projectOf(definition, `images/${definition.name}`, inputs, has);
  });
  return Object.fromEntries(projects.map((project) => [project.root, project]));
}

/**
 * Returns an edge from each image to each of its parents. Images of the base workspace of an overlay are not projects of
 * this workspace, so edges to them are left out; `ccp build` still builds them.
 */
export const createDependencies: CreateDependencies = (_options, context) => {
  const images = readable(context.workspaceRoot).filter(({ name }) =>
    Object.hasOwn(context.projects, name),
  );
  const names = new Set(images.map(({ name }) => name));
  return images.flatMap((image) =>
    [...new Set(Object.values(image.parents))]
      .filter((parent) => names.has(parent))
      .map((parent): RawProjectGraphDependency => ({
        source: image.name,
        target: parent,
        type: 'static' as RawProjectGraphDependency['type'],
        sourceFile: `images/${image.name}/${image.overlaid === undefined ? 'image' : 'overlay'}.yaml`,
      })),
  );
};

/** Empty if the workspace cannot be read: `createNodesV2` has reported the error. */
function readable(root: string): readonly ImageDefinition[] {
  try {
    return workspaceAt(root).images;
  } catch (thrown) {
    if (thrown instanceof CcpError) return [];
    throw thrown;
  }
}

/** `series` lists the series that contain the image. */
function projectOf(
  image: ImageDefinition,
  root: string,
  inputs: readonly string[],
  series: readonly SeriesDefinition[],
): ProjectConfiguration & { name: string; root: string } {
  return {
    name: image.name,
    root,
    projectType: 'application',
    tags: [
      image.shipped ? 'shipped' : 'build-only',
      ...Object.keys(image.parents).map((role) => `has-${role}`),
    ],
    metadata: { description: image.description },
    targets: {
      build: {
        executor: '.:build',
        cache: false,
        inputs: [...inputs],
        dependsOn: ['^build'],
        options: { series: 'all' },
        configurations: Object.fromEntries(series.map(({ name }) => [name, { series: name }])),
        metadata: { description: `Builds ${image.title} from its locks in every stable series.` },
      },
    },
  };
}
