import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type {
  CreateDependencies,
  CreateNodesV2,
  ProjectConfiguration,
  RawProjectGraphDependency,
} from '@nx/devkit';
import { CcpError, errorText, findingsIn, throwFindings, type ImageName } from '#core';
import { readWorkspace, runMemo, type ImageDefinition, type Workspace } from '#definitions';
import { buildGraph } from '#graph';
import { imageInputs } from './image-inputs.ts';
import { imageProject, type NamedProject } from './image-project.ts';
import { packageEdges, packageProjects } from './package-projects.ts';
import { siteEdges, siteProjects } from './site-projects.ts';

/** Absolute path of the repository of the tool. */
const OWN = join(import.meta.dirname, '../../..');

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
 * Creates one project, named as the image, for each image that the workspace defines or overlays;
 * one for each site; and one for each package of tools/. The pattern matches the file that marks a
 * workspace instead of each image.yaml, since Nx 23.3 treats all projects as affected if a file
 * that matches the pattern was deleted.
 */
export const createNodesV2: CreateNodesV2 = [
  '{images/series,overlay}.yaml',
  ([file], _options, context) => {
    loaded = undefined;
    try {
      return file === undefined
        ? []
        : [[file, { projects: allProjects(workspaceAt(context.workspaceRoot)) }]];
    } catch (thrown) {
      throw withText(thrown);
    }
  },
];

function allProjects(workspace: Workspace): Record<string, ProjectConfiguration> {
  const ccp = `${relative(workspace.root, OWN) || '.'}/ccp`;
  const projects = [
    ...imageProjects(workspace, ccp),
    ...siteProjects(workspace.root, ccp),
    ...packageProjects(workspace.root),
  ];
  return Object.fromEntries(projects.map((project) => [project.root, project]));
}

/** Throws the findings of the images of all series, such as missing parents. */
function imageProjects(workspace: Workspace, ccp: string): readonly NamedProject[] {
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
  return own.map((image) =>
    imageProject({
      image,
      root: `images/${image.name}`,
      inputs: imageInputs(workspace, image, (name) => names.has(name)),
      series: members.filter((each) => each.images.has(image.name)).map((each) => each.series),
      ccp,
    }),
  );
}

/**
 * Returns an edge from each image to each of its parents, from each site to its images, and from
 * each package to those it imports. Images of the base workspace of an overlay are not projects of
 * this workspace, so edges to them are left out; `ccp build` still builds them.
 */
export const createDependencies: CreateDependencies = (_options, context) => {
  const images = readable(context.workspaceRoot).filter(({ name }) =>
    Object.hasOwn(context.projects, name),
  );
  const names = new Set(images.map(({ name }) => name));
  const parents = images.flatMap((image) =>
    [...new Set(Object.values(image.parents))]
      .filter((parent) => names.has(parent))
      .map((parent): RawProjectGraphDependency => ({
        source: image.name,
        target: parent,
        type: 'static' as RawProjectGraphDependency['type'],
        sourceFile: `images/${image.name}/${image.overlaid === undefined ? 'image' : 'overlay'}.yaml`,
      })),
  );
  const sites = siteEdges(context.workspaceRoot, (name) => names.has(name as ImageName));
  return [...parents, ...sites, ...packageEdges(context)];
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
