import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CreateDependencies, CreateNodesV2, ProjectConfiguration, RawProjectGraphDependency } from '@nx/devkit';
import { CcpError, errorText, findingsIn, throwFindings } from '#core';
import { readWorkspace, runMemo, type ImageDefinition, type SeriesDefinition, type Workspace } from '#definitions';
import { buildGraph } from '#graph';

/** Files outside an image's folder that every image is made of. */
const SHARED = [
  '{workspaceRoot}/images/_shared/*.njk',
  '{workspaceRoot}/images/series.yaml',
  '{workspaceRoot}/overlay.yaml',
  '{workspaceRoot}/tools/definitions/schemas/*',
  '{workspaceRoot}/tools/plan/src/fingerprint.ts',
];

let loaded: { readonly root: string; readonly workspace: Workspace } | undefined;

function workspaceAt(root: string): Workspace {
  if (loaded?.root !== root) loaded = { root, workspace: readWorkspace(root, runMemo()) };
  return loaded.workspace;
}

/** Nx prints an error's message alone, so it gets places and hints in it. */
function withText(thrown: unknown): unknown {
  return thrown instanceof CcpError ? new Error(errorText(thrown), { cause: thrown }) : thrown;
}

/**
 * One project for each image that the workspace defines or overlays; its name is the image's. They are made of the file that makes the
 * folder a workspace, since Nx (23.3) takes all projects for affected where a file that this pattern matches is gone.
 */
export const createNodesV2: CreateNodesV2 = [
  '{images/series,overlay}.yaml',
  ([file], _options, context) => {
    loaded = undefined;
    try {
      return file === undefined ? [] : [[file, { projects: projectsOf(workspaceAt(context.workspaceRoot)) }]];
    } catch (thrown) {
      throw withText(thrown);
    }
  },
];

/** Raises what is wrong with the images of any series, such as a parent that is gone. */
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
  const own = images.filter(({ name }) => ['image', 'overlay'].some((file) => existsSync(join(root, 'images', name, `${file}.yaml`))));
  const projects = own.map((definition) => {
    const has = members.filter((each) => each.images.has(definition.name)).map((each) => each.series);
    return projectOf(definition, `images/${definition.name}`, root, has);
  });
  return Object.fromEntries(projects.map((project) => [project.root, project]));
}

/**
 * Edges from images to their parents, one for each role. Images of a workspace that this one overlays are no projects of it, so
 * edges to them are left out; `ccp build` builds them all the same.
 */
export const createDependencies: CreateDependencies = (_options, context) => {
  const images = readable(context.workspaceRoot).filter(({ name }) => Object.hasOwn(context.projects, name));
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

/** What an image carries of the repository; tests are no part of it. */
function treeInputs({ tree = [] }: ImageDefinition): string[] {
  return tree.flatMap((path) => [`{workspaceRoot}/${path}`, `{workspaceRoot}/${path}/**/*`, `!{workspaceRoot}/${path}/**/*.test.ts`]);
}

/** The lock that packages of npm are taken from, for an image that has some. */
function npmInputs({ npm }: ImageDefinition): string[] {
  return npm === undefined ? [] : ['{workspaceRoot}/package-lock.json'];
}

/** None where the workspace cannot be read: what made the projects has said so. */
function readable(root: string): readonly ImageDefinition[] {
  try {
    return workspaceAt(root).images;
  } catch (thrown) {
    if (thrown instanceof CcpError) return [];
    throw thrown;
  }
}

/** The upper constraints that the image's locks answer: one that changes makes them stale. */
function constraintInputs(image: ImageDefinition, workspaceRoot: string, series: readonly SeriesDefinition[]): string[] {
  const files = image.python === undefined ? [] : series.flatMap(({ constraints, constraintsFrom }) => constraints ?? constraintsFrom?.file ?? []);
  const own = files.map((file) => relative(workspaceRoot, file)).filter((path) => !path.startsWith('..'));
  return own.map((path) => `{workspaceRoot}/${path}`);
}

/** `series` are those the image exists in. */
function projectOf(
  image: ImageDefinition,
  root: string,
  workspaceRoot: string,
  series: readonly SeriesDefinition[],
): ProjectConfiguration & { name: string; root: string } {
  return {
    name: image.name,
    root,
    projectType: 'application',
    tags: [image.shipped ? 'shipped' : 'build-only', ...Object.keys(image.parents).map((role) => `has-${role}`)],
    metadata: { description: image.description },
    targets: {
      build: {
        executor: '.:build',
        cache: false,
        inputs: ['{projectRoot}/**/*', ...SHARED, ...treeInputs(image), ...npmInputs(image), ...constraintInputs(image, workspaceRoot, series)],
        dependsOn: ['^build'],
        options: {},
        configurations: Object.fromEntries(series.map(({ name }) => [name, { series: name }])),
        metadata: { description: `Builds ${image.title} from its locks.` },
      },
    },
  };
}
