import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CreateDependenciesContext,
  RawProjectGraphDependency,
  TargetConfiguration,
} from '@nx/devkit';
import type { NamedProject } from './image-project.ts';

/**
 * The project of all files outside the other projects; the name of `package.json`, by which Nx
 * finds generators.
 */
const REPOSITORY_PROJECT = 'ccp';

/** Files of the repository that the checks of every package use. */
const SHARED = [
  '{workspaceRoot}/package.json',
  '{workspaceRoot}/package-lock.json',
  '{workspaceRoot}/tsconfig*.json',
];
const LINT = [...SHARED, '{workspaceRoot}/.oxlintrc.json'];
const TEST = [
  ...SHARED,
  '{workspaceRoot}/tests/vitest.config.ts',
  '{workspaceRoot}/tests/helpers/**/*',
  '{workspaceRoot}/tests/fixtures/**/*',
];
/** Files of other projects that tests of the repository read. */
const CONTENT = ['{workspaceRoot}/images/**/*', '{workspaceRoot}/deploy-specs/**/*'];

/** The name of a package's project; an image may have the name of a package. */
function packageProjectName(name: string): string {
  return `tools-${name}`;
}

/**
 * A project for each package of tools/, and one for the repository; none in a workspace without the
 * tool.
 */
export function packageProjects(root: string): readonly NamedProject[] {
  if (!existsSync(join(root, 'tools/nx-plugin/src'))) return [];
  const packages = readdirSync(join(root, 'tools'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && existsSync(join(root, 'tools', entry.name, 'src')),
  );
  return [repositoryProject(), ...packages.map(({ name }) => packageProject(name))];
}

function packageProject(name: string): NamedProject {
  const folder = `tools/${name}`;
  return {
    name: packageProjectName(name),
    root: folder,
    projectType: 'library',
    tags: ['package'],
    namedInputs: { sources: ['{projectRoot}/**/*'] },
    metadata: { description: `The package ${name} of the tool.` },
    targets: checks(folder, [folder], TEST, `the package ${name}`),
  };
}

/** It has the tests of commands and the scripts of CI. */
function repositoryProject(): NamedProject {
  return {
    name: REPOSITORY_PROJECT,
    root: '.',
    projectType: 'library',
    tags: ['repository'],
    namedInputs: { sources: ['{projectRoot}/**/*'] },
    metadata: {
      description: 'Files outside images, sites and packages: tests of commands, documents and CI.',
      js: {
        packageName: REPOSITORY_PROJECT,
        packageExports: './package.json',
        isInPackageManagerWorkspaces: true,
      },
    },
    targets: checks(
      'tests',
      ['tests', 'ci'],
      [...TEST, ...CONTENT],
      'the tests of commands and the scripts of CI',
    ),
  };
}

function checks(
  folder: string,
  linted: readonly string[],
  tested: readonly string[],
  title: string,
): Record<string, TargetConfiguration> {
  const target = (
    command: string,
    inputs: readonly string[],
    description: string,
    cache = true,
  ): TargetConfiguration => ({
    executor: 'nx:run-commands',
    options: { command, cwd: '{workspaceRoot}' },
    cache,
    inputs: ['sources', '^sources', ...inputs],
    outputs: [],
    metadata: { description },
  });
  return {
    test: target(
      `./ccp test --group fast ${folder}`,
      tested,
      `Runs the fast tests of ${title}, which need neither an engine nor a network.`,
      // Some tests read files that no rule can name, such as programs of this machine.
      false,
    ),
    typecheck: target(
      `node_modules/.bin/tsc --noEmit -p ${folder}/tsconfig.check.json`,
      SHARED,
      `Checks the types of ${title}.`,
    ),
    lint: target(
      `node_modules/.bin/oxlint --deny-warnings ${linted.join(' ')}`,
      LINT,
      `Checks ${title} with the linter.`,
    ),
  };
}

/** Imports of a package by its name, such as `#core`, and by a path from a test. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'(?:#|(?:\.\.\/)+tools\/)([a-z-]+)(?:\/[^']*)?'/g;

/** Edges between packages by their imports, from the files that Nx has not seen before. */
export function packageEdges({
  workspaceRoot,
  filesToProcess,
  projects,
}: CreateDependenciesContext): readonly RawProjectGraphDependency[] {
  return Object.entries(filesToProcess?.projectFileMap ?? {}).flatMap(([source, files]) =>
    source === REPOSITORY_PROJECT || source.startsWith(packageProjectName(''))
      ? files
          .filter(({ file }) => /\.[cm]?ts$/.test(file))
          .flatMap(({ file }) =>
            importedPackages(join(workspaceRoot, file))
              .map(packageProjectName)
              .filter((target) => target !== source && Object.hasOwn(projects, target))
              .map((target) => ({
                source,
                target,
                type: 'static' as RawProjectGraphDependency['type'],
                sourceFile: file,
              })),
          )
      : [],
  );
}

function importedPackages(path: string): readonly string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...new Set([...text.matchAll(IMPORT)].map(([, name]) => name!))];
}
