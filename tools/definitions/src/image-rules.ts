import { goModuleOf, meantOrKnown } from '#core';
import type { ImageFile } from './image-file.ts';
import type { YamlPath } from './yaml-node.ts';

/** Something in one definition that its schema cannot say. */
export interface RuleFinding {
  readonly path: YamlPath;
  readonly message: string;
  readonly hint?: string;
}

/** What does not fit together inside one image definition. */
export function checkImage(file: ImageFile): RuleFinding[] {
  return [...checkUser(file), ...checkStages(file), ...checkPython(file), ...checkPatches(file), ...checkGo(file)];
}

function* checkUser({ user, root, shipped = true }: ImageFile): Iterable<RuleFinding> {
  if (user !== undefined && root !== undefined) {
    yield { path: ['root'], message: `root says why the image runs as root, but it runs as user ${user.name}`, hint: 'keep one of the two' };
  } else if (shipped && user === undefined && root === undefined) {
    yield { path: [], message: 'a shipped image needs a user', hint: 'add user:, or say under root: why it runs as root' };
  }
}

function* checkStages({ debian = {}, parents = {} }: ImageFile): Iterable<RuleFinding> {
  const roles = Object.keys(parents);
  for (const [stage, { on }] of Object.entries(debian)) {
    if (on === undefined && roles.length > 0) {
      const message = `debian.${stage} does not say which parent it stands on`;
      yield { path: ['debian', stage], message, hint: `add on: ${roles.includes('base') ? 'base' : roles[0]}` };
    } else if (on !== undefined && !roles.includes(on)) {
      const message = `debian.${stage}.on is "${on}", which is no role of a parent`;
      yield { path: ['debian', stage, 'on'], message, hint: meantOrKnown(on, roles, 'the image has no parents') };
    }
  }
}

function* checkPython({ python, sources = {} }: ImageFile): Iterable<RuleFinding> {
  if (python === undefined) return;
  const { project, extras = [] } = python;
  const keys = Object.keys(sources);
  if (project !== undefined && !keys.includes(project)) {
    const message = `python.project is "${project}", which is no key in sources`;
    yield { path: ['python', 'project'], message, hint: meantOrKnown(project, keys, 'add it to sources') };
  }
  if (project === undefined && extras.length > 0) {
    yield { path: ['python', 'extras'], message: 'python.extras stand without a project', hint: 'add project:, or name extras in packages' };
  }
}

/** Patches are applied by the builder's script that makes wheels. */
function* checkPatches({ python, sources = {} }: ImageFile): Iterable<RuleFinding> {
  for (const [key, { patches }] of Object.entries(sources)) {
    if (patches === undefined || python !== undefined) continue;
    const path = ['sources', key, 'patches'];
    yield { path, message: `nothing applies the patches of ${key}: the image makes no wheels`, hint: 'patches are for images with python:' };
  }
}

function* checkGo({ go, parents = {} }: ImageFile): Iterable<RuleFinding> {
  if (go === undefined) return;
  const { modules = [], packages = [], programs = {} } = go;
  if (modules.length > 0 && parents['builder'] === undefined) {
    yield { path: ['go', 'modules'], message: 'go.modules stand in an image without a builder', hint: 'add builder: to parents; it has the toolchain' };
  }
  const paths = modules.map((module) => module.split('@')[0] as string);
  for (const [index, path] of paths.entries()) {
    if (paths.indexOf(path) !== index) yield { path: ['go', 'modules', index], message: `go.modules names ${path} twice`, hint: 'keep one version' };
  }
  for (const [name, path] of Object.entries(programs)) {
    if (!path.startsWith('./') && goModuleOf(path, paths) === undefined) {
      yield { path: ['go', 'programs', name], message: `go.programs.${name} is in none of go.modules`, hint: 'add the module of its package, with a version' };
    }
  }
  const own = Object.values(programs).some((path) => path.startsWith('./'));
  if (packages.length > 0 && !own) {
    yield { path: ['go', 'packages'], message: 'go.packages stand without a program of the image', hint: 'add one below files/go to programs, as ./NAME' };
  }
}
