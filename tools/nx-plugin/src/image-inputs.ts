import { dirname, relative } from 'node:path';
import type { ImageName } from '#core';
import { FINGERPRINT_CODE, type ImageDefinition, type Workspace } from '#definitions';

/** Files of each workspace, of an overlay and of its bases, that are inputs of every image. */
const SHARED = ['images/_shared/*.njk', 'images/series.yaml', 'overlay.yaml'];

/**
 * The code that computes fingerprints: a rule for files cannot know which image a change concerns.
 */
const CODE = FINGERPRINT_CODE.map((folder) =>
  folder.endsWith('/schemas') ? `${folder}/*` : `${folder}/**/!(*.test).ts`,
);

/**
 * The inputs of an image's targets, as patterns of Nx: every file that can change its fingerprint
 * or its lock. Parents that are projects have edges; the files of other ancestors, of a base in a
 * folder of this repository, are inputs of the image.
 */
export function imageInputs(
  workspace: Workspace,
  image: ImageDefinition,
  isProject: (name: ImageName) => boolean,
): readonly string[] {
  const { root, bases = [] } = workspace;
  const inside = (path: string): readonly string[] => {
    const within = relative(root, path);
    if (within === '..' || within.startsWith('../')) return [];
    return [within === '' ? '{workspaceRoot}' : `{workspaceRoot}/${within}`];
  };
  const folders = [root, ...bases].flatMap(inside);
  const lower = bases.flatMap(inside);
  const images = [image, ...absentAncestors(workspace, image, isProject)];
  return [
    '{projectRoot}/**/*',
    '{workspaceRoot}/.ccp.yaml',
    ...folders.flatMap((folder) => [...SHARED, ...CODE].map((path) => `${folder}/${path}`)),
    ...images.flatMap(({ name }) => lower.map((folder) => `${folder}/images/${name}/**/*`)),
    ...images.flatMap((each) =>
      inside(repositoryOf(each)).flatMap((folder) => treeInputs(each, folder)),
    ),
    ...images.flatMap((each) => constraintFiles(each, workspace).flatMap(inside)),
  ];
}

/** The ancestors that are no projects, up to the next project. */
function absentAncestors(
  { images }: Workspace,
  image: ImageDefinition,
  isProject: (name: ImageName) => boolean,
): readonly ImageDefinition[] {
  const byName = new Map(images.map((each) => [each.name, each]));
  const found = new Set<ImageDefinition>();
  const queue = [image];
  for (const { parents } of queue) {
    for (const parent of Object.values(parents)) {
      const definition = byName.get(parent);
      if (definition === undefined || isProject(parent) || found.has(definition)) continue;
      found.add(definition);
      queue.push(definition);
    }
  }
  return [...found];
}

function repositoryOf({ folder }: ImageDefinition): string {
  return dirname(dirname(folder));
}

/**
 * The files of the repository that the image contains (`tree:`), without tests and pages, and its
 * npm lock.
 */
function treeInputs({ tree = [], npm }: ImageDefinition, folder: string): readonly string[] {
  return [
    ...tree.flatMap((path) => [
      `${folder}/${path}`,
      `${folder}/${path}/**/*`,
      ...['*.test.ts', '*.md', 'testing.ts', 'testing/**/*', 'golden/**/*'].map(
        (left) => `!${folder}/${path}/**/${left}`,
      ),
    ]),
    ...(npm === undefined ? [] : [`${folder}/package-lock.json`]),
  ];
}

/** The upper constraints of the image's locks; a change makes the locks out of date. */
function constraintFiles({ python }: ImageDefinition, { series }: Workspace): readonly string[] {
  if (python === undefined) return [];
  return series.flatMap(
    ({ constraints, constraintsFrom }) => constraints ?? constraintsFrom?.file ?? [],
  );
}
