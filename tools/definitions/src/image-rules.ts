import { suggestName } from '#core';
import { goModuleOf } from '#formats';
import type { ImageFile } from './image-file.ts';
import type { YamlPath } from './yaml-node.ts';

/** A violation of a rule that the schema cannot express. */
export interface RuleFinding {
  readonly path: YamlPath;
  readonly message: string;
  readonly hint?: string;
}

/** Contradictions within one image definition. */
export function checkImage(file: ImageFile): RuleFinding[] {
  return [
    ...checkUser(file),
    ...checkStages(file),
    ...checkPython(file),
    ...checkPatches(file),
    ...checkGo(file),
    ...checkNetwork(file),
  ];
}

function* checkNetwork({ network, unlocked = false }: ImageFile): Iterable<RuleFinding> {
  if (network !== undefined && !unlocked)
    yield {
      path: ['network'],
      message: `network is "${network}", but the steps of this image have no network`,
      hint: 'remove network, or add unlocked: true',
    };
}

function* checkUser({ user, root, shipped = true }: ImageFile): Iterable<RuleFinding> {
  if (user !== undefined && root !== undefined) {
    yield {
      path: ['root'],
      message: `root is set, but the image runs as user ${user.name}`,
      hint: 'keep either "root" or "user"',
    };
  } else if (shipped && user === undefined && root === undefined) {
    yield {
      path: [],
      message: 'a shipped image needs a user',
      hint: 'add user, or give the reason to run as root in root',
    };
  }
}

function* checkStages({ debian = {}, parents = {} }: ImageFile): Iterable<RuleFinding> {
  const roles = Object.keys(parents);
  for (const [stage, { on }] of Object.entries(debian)) {
    if (on === undefined && roles.length > 0) {
      const message = `debian.${stage}.on is missing: it names the parent that the stage is based on`;
      yield {
        path: ['debian', stage],
        message,
        hint: `add on: ${roles.includes('base') ? 'base' : roles[0]}`,
      };
    } else if (on !== undefined && !roles.includes(on)) {
      const message = `debian.${stage}.on is "${on}", which is not a role in parents`;
      yield {
        path: ['debian', stage, 'on'],
        message,
        hint: suggestName(on, roles, 'the image has no parents'),
      };
    }
  }
}

function* checkPython({ python, sources = {} }: ImageFile): Iterable<RuleFinding> {
  if (python === undefined) return;
  const { project, extras = [] } = python;
  const keys = Object.keys(sources);
  if (project !== undefined && !keys.includes(project)) {
    const message = `python.project is "${project}", which is not a key in sources`;
    yield {
      path: ['python', 'project'],
      message,
      hint: suggestName(project, keys, 'add it to sources'),
    };
  }
  if (project === undefined && extras.length > 0) {
    yield {
      path: ['python', 'extras'],
      message: 'python.extras requires python.project',
      hint: 'add project, or write the extras in packages',
    };
  }
}

/** Patches are applied by the builder's script that builds wheels. */
function* checkPatches({ python, sources = {} }: ImageFile): Iterable<RuleFinding> {
  for (const [key, { patches }] of Object.entries(sources)) {
    if (patches === undefined || python !== undefined) continue;
    const path = ['sources', key, 'patches'];
    yield {
      path,
      message: `the patches of ${key} would not be applied: the image builds no wheels`,
      hint: 'use patches only in images with python',
    };
  }
}

function* checkGo({ go, parents = {} }: ImageFile): Iterable<RuleFinding> {
  if (go === undefined) return;
  const { modules = [], packages = [], programs = {} } = go;
  if (modules.length > 0 && parents['builder'] === undefined) {
    yield {
      path: ['go', 'modules'],
      message: 'go.modules requires a parent with the role builder',
      hint: 'add builder to parents; it provides the Go toolchain',
    };
  }
  const paths = modules.map((module) => module.split('@')[0] as string);
  for (const [index, path] of paths.entries()) {
    if (paths.indexOf(path) !== index)
      yield {
        path: ['go', 'modules', index],
        message: `go.modules lists ${path} twice`,
        hint: 'keep one version',
      };
  }
  for (const [name, path] of Object.entries(programs)) {
    if (!path.startsWith('./') && goModuleOf(path, paths) === undefined) {
      yield {
        path: ['go', 'programs', name],
        message: `go.programs.${name} does not belong to a module in go.modules`,
        hint: 'add the module of its package, with a version',
      };
    }
  }
  const own = Object.values(programs).some((path) => path.startsWith('./'));
  if (packages.length > 0 && !own) {
    yield {
      path: ['go', 'packages'],
      message: 'go.packages requires a program with its source in files/go',
      hint: 'add the program to go.programs as ./NAME',
    };
  }
}
