import { createRequire } from 'node:module';
import { CcpError, isRecord, messageOf, omitUndefined } from '#core';
import { normaliseProject } from '#formats';
import type { ProjectFiles } from './read-project.ts';

/** Metadata of a project, read from its source without running code. */
export interface ProjectFacts {
  readonly name?: string;
  readonly version?: string;
  /**
   * Requirements in the form of `Requires-Dist`, those of extras with an `extra == "…"` marker.
   */
  readonly requires: readonly string[];
  readonly extras: readonly string[];
  /**
   * Build requirements; requirements that the build backend would only report when run are read
   * from the text of setup.py and setup.cfg.
   */
  readonly buildRequires: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

const table = (value: unknown): Table => (isRecord(value) ? value : {});
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Adds a marker to a requirement. */
function withMarker(requirement: string, marker: string): string {
  const at = requirement.indexOf(';');
  if (marker === '') return requirement;
  if (at < 0) return `${requirement}; ${marker}`;
  return `${requirement.slice(0, at).trim()}; (${requirement.slice(at + 1).trim()}) and ${marker}`;
}

const forExtra = (extra: string): string => `extra == "${normaliseProject(extra)}"`;

/** Lines of a requirements file without comments, options and empty lines. */
function requirementLines(content: string): string[] {
  return content
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/s, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-'));
}

interface Requires {
  readonly requires: readonly string[];
  readonly extras: readonly string[];
}

/** `requires.txt` of setuptools: sections `[extra]`, `[extra:marker]` and `[:marker]`. */
function parseRequiresTxt(content: string): Requires {
  const requires: string[] = [];
  const extras = new Set<string>();
  let marker = '';
  for (const line of requirementLines(content)) {
    const section = /^\[([^\]:]*)(?::(.*))?\]$/.exec(line);
    if (section === null) {
      requires.push(withMarker(line, marker));
      continue;
    }
    const [, extra = '', condition] = section;
    if (extra !== '') extras.add(normaliseProject(extra));
    marker = [
      condition === undefined ? undefined : `(${condition})`,
      extra === '' ? undefined : forExtra(extra),
    ]
      .filter((part) => part !== undefined)
      .join(' and ');
  }
  return { requires, extras: [...extras] };
}

/** Sections of an INI file: section -> key -> lines of its value. */
function parseIni(content: string): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const sections = new Map<string, Map<string, string[]>>();
  let section = new Map<string, string[]>();
  let value: string[] = [];
  for (const raw of content.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(raw)) continue;
    const head = /^\[([^\]]+)\]/.exec(raw);
    const member = /^([^\s=:][^=:]*)[=:](.*)$/.exec(raw);
    if (head !== null) sections.set(head[1]!, (section = sections.get(head[1]!) ?? new Map()));
    else if (/^\s/.test(raw)) value.push(raw.trim());
    else if (member !== null)
      section.set(
        member[1]!.trim().replaceAll('-', '_'),
        (value = member[2]!.trim() === '' ? [] : [member[2]!.trim()]),
      );
  }
  return sections;
}

function fromPkgInfo(content: string): Requires | undefined {
  const head = content.split(/\r?\n\r?\n/)[0]!;
  const all = (name: string): string[] =>
    [...head.matchAll(new RegExp(`^${name}: (.+?)\\r?$`, 'gm'))].map((match) => match[1]!);
  const requires = all('Requires-Dist');
  return requires.length === 0
    ? undefined
    : { requires, extras: all('Provides-Extra').map(normaliseProject) };
}

function fromTree(files: ProjectFiles, project: Table): Requires {
  const requires: string[] = [];
  const extras: string[] = [];
  const add = (extra: string, list: readonly string[]): void => {
    extras.push(normaliseProject(extra));
    requires.push(...list.map((item) => withMarker(item, forExtra(extra))));
  };
  const ini = parseIni(files.get('setup.cfg') ?? '');
  requires.push(
    ...strings(project['dependencies']),
    ...(ini.get('options')?.get('install_requires') ?? []),
  );
  if (requires.length === 0)
    requires.push(...requirementLines(files.get('requirements.txt') ?? ''));
  for (const [extra, list] of Object.entries(table(project['optional-dependencies'])))
    add(extra, strings(list));
  for (const section of ['options.extras_require', 'extras']) {
    for (const [extra, list] of ini.get(section) ?? [])
      add(extra, requirementLines(list.join('\n')).map(pbrMarker));
  }
  return { requires, extras };
}

/** pbr writes a marker as `name>=1:(marker)`. */
function pbrMarker(line: string): string {
  const match = /^([^:;]+):\((.+)\)$/.exec(line);
  return match === null ? line : withMarker(match[1]!.trim(), match[2]!);
}

/**
 * setuptools has no pkg_resources since 82.0.0; a setup script can import it through its own
 * package.
 */
const PKG_RESOURCES = /^[ \t]*(?:import|from)[ \t]+pkg_resources\b|__import__\(['"]pkg_resources/m;

function buildRequires(files: ProjectFiles, system: Table): string[] {
  const backend = text(system['build-backend']) ?? '';
  const listed = system['requires'] === undefined ? [] : strings(system['requires']);
  const legacy = backend === '' || /^(?:setuptools|pbr)\b/.test(backend);
  if (!legacy) return listed;
  const setup = files.get('setup.py') ?? '';
  const [, after = ''] = /setup_requires\s*=\s*\[(.*)/s.exec(setup) ?? [];
  const declared = after.slice(0, Math.max(after.indexOf(']'), 0));
  const quoted = [...declared.matchAll(/["']([^"']+)["']/g)].map((match) => match[1]!);
  const options = parseIni(files.get('setup.cfg') ?? '').get('options');
  const ini = options?.get('setup_requires') ?? [];
  const old = [...files].some(
    ([path, content]) => path.endsWith('.py') && PKG_RESOURCES.test(content),
  )
    ? ['setuptools<82']
    : [];
  return [
    ...new Set([
      ...listed,
      ...old,
      'setuptools',
      'wheel',
      ...quoted,
      ...ini,
      ...(/\bpbr\s*=\s*True\b/.test(setup) ? ['pbr'] : []),
    ]),
  ];
}

/**
 * Reads the metadata from the files of a source archive or git tree; `title` is the name in
 * messages. Raises `python-sdist-invalid` if pyproject.toml is not TOML.
 */
export function projectFacts(files: ProjectFiles, title: string): ProjectFacts {
  const { parse } = createRequire(import.meta.url)('smol-toml') as typeof import('smol-toml');
  let pyproject: Table;
  try {
    pyproject = table(parse(files.get('pyproject.toml') ?? ''));
  } catch (thrown) {
    throw new CcpError({
      code: 'python-sdist-invalid',
      message: `pyproject.toml of ${title} cannot be read: ${messageOf(thrown)}`,
      cause: thrown,
    });
  }
  const project = table(pyproject['project']);
  const info = files.get('PKG-INFO');
  const egg = [...files].find(([path]) => path.endsWith('.egg-info/requires.txt'))?.[1];
  const found =
    (info === undefined ? undefined : fromPkgInfo(info)) ??
    (egg === undefined ? undefined : parseRequiresTxt(egg)) ??
    (info === undefined ? fromTree(files, project) : { requires: [], extras: [] });
  const metadata = parseIni(files.get('setup.cfg') ?? '').get('metadata');
  const name =
    /^Name: (.+?)\r?$/m.exec(info ?? '')?.[1] ??
    text(project['name']) ??
    metadata?.get('name')?.[0];
  const version = /^Version: (.+?)\r?$/m.exec(info ?? '')?.[1];
  return {
    ...(name === undefined ? {} : { name: normaliseProject(name) }),
    ...omitUndefined({ version }),
    ...found,
    buildRequires: buildRequires(files, table(pyproject['build-system'])),
  };
}
