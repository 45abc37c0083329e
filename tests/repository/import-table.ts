import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * The project packages that each package in tools/ may import; `:types` allows only `import type`.
 */
const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  core: [],
  host: ['core', 'ports:types'],
  formats: ['core'],
  ports: ['core'],
  definitions: ['core', 'host', 'formats', 'ports'],
  graph: ['core', 'definitions:types'],
  locks: ['core', 'host', 'formats', 'ports', 'definitions', 'graph'],
  fetch: ['core', 'host', 'formats', 'ports', 'locks:types'],
  context: ['core', 'host', 'formats', 'ports:types', 'definitions:types', 'locks:types', 'fetch'],
  plan: ['core', 'formats', 'ports', 'graph', 'context'],
  build: ['core', 'ports', 'plan', 'context'],
  store: ['core', 'host', 'formats', 'ports'],
  cves: ['core', 'formats', 'definitions'],
  release: ['core', 'ports', 'plan:types', 'build:types'],
  site: ['core', 'formats', 'definitions:types', 'ports:types', 'release:types'],
  rollout: ['core', 'formats', 'ports', 'site'],
  operator: ['core', 'ports', 'site', 'rollout'],
  application: ['core', 'ports', 'site', 'rollout'],
  engines: ['core', 'host', 'ports'],
  cluster: ['core', 'host', 'ports', 'engines'],
  entrypoint: ['core', 'ports:types', 'engines'],
  'nx-plugin': ['core', 'definitions', 'graph', 'cli'],
  cli: [
    'core',
    'host',
    'formats',
    'ports',
    'definitions',
    'graph',
    'locks',
    'fetch',
    'context',
    'plan',
    'build',
    'store',
    'cves',
    'release',
    'site',
    'rollout',
    'operator',
    'application',
    'engines',
    'cluster',
  ],
};

/** Third-party modules that talk to daemons or clusters, and the one package that may load them. */
const CLIENTS: Readonly<Record<string, string>> = {
  dockerode: 'engines',
  '@kubernetes/client-node': 'engines',
};

export interface Import {
  readonly file: string;
  readonly package: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const STATEMENT =
  /^(import|export)\s+(type\s)?[^;'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|(typeof\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** All imports of the sources in `tools`, an absolute path, without tests. */
export function readImports(tools: string): readonly Import[] {
  return readdirSync(tools, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'),
    )
    .map((entry) => relative(tools, join(entry.parentPath, entry.name)))
    .sort()
    .flatMap((file) => importsIn(file, readFileSync(join(tools, file), 'utf8')));
}

/** The imports of one source; `file` is relative to tools/. */
export function importsIn(file: string, text: string): readonly Import[] {
  return [...text.matchAll(STATEMENT)].map((match) => ({
    file,
    package: file.split('/')[0] as string,
    specifier: (match[3] ?? match[4] ?? match[6]) as string,
    typeOnly: match[2] !== undefined || match[5] !== undefined,
  }));
}

/** The imports that the table forbids, a sentence each. */
export function breaches(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((each) => breachOf(each) ?? []);
}

function breachOf({ file, package: from, specifier, typeOnly }: Import): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative(resolve('/tools'), resolve('/tools', dirname(file), specifier)).split(
      '/',
    )[0];
    return target === from
      ? undefined
      : `${file} reaches into ${target} by a path (${specifier}); import #${target}`;
  }
  if (!specifier.startsWith('#')) {
    const owner = CLIENTS[specifier];
    return owner === undefined || owner === from
      ? undefined
      : `${file} imports ${specifier}; only ${owner} may`;
  }
  const target = specifier.slice(1).split('/')[0] as string;
  if (target === from) return `${file} imports its own package by name (${specifier})`;
  const allowed = IMPORT_TABLE[from] ?? [];
  if (allowed.includes(target) || (typeOnly && allowed.includes(`${target}:types`)))
    return undefined;
  return `${file} imports ${typeOnly ? 'types of ' : ''}${specifier}; ${from} may import: ${allowed.join(', ') || 'nothing of ours'}`;
}

/**
 * The first cycle of packages, as the chain of files that makes it; `undefined` without a cycle.
 */
export function packageCycle(imports: readonly Import[]): string | undefined {
  const edges = imports
    .filter(({ specifier, typeOnly }) => specifier.startsWith('#') && !typeOnly)
    .map(({ package: from, specifier, file }) => ({
      from,
      to: specifier.slice(1).split('/')[0] as string,
      by: file,
    }))
    .filter(({ from, to }) => from !== to);
  return firstCycle(edges)
    ?.map(({ by, to }) => `${by} -> ${to}`)
    .join(', ');
}

/**
 * The first cycle of files within a package, types and lazy imports included, as their chain;
 * `undefined` without a cycle.
 */
export function fileCycle(imports: readonly Import[]): string | undefined {
  const cycle = firstCycle(
    relativeImports(imports).map(({ file, target }) => ({ from: file, to: target, by: file })),
  );
  return cycle && [...cycle.map(({ from }) => from), cycle[0]?.from].join(' -> ');
}

/**
 * The first two folders of a package that import each other, as two files; without `testing` and
 * the package's top folder.
 */
export function folderPair(imports: readonly Import[]): string | undefined {
  const edges = new Map<string, string>();
  for (const { file, target } of relativeImports(imports)) {
    const [from, to] = [dirname(file), dirname(target)];
    if (from === to || [from, to].some((folder) => /\/(src|testing)$/.test(folder))) continue;
    edges.set(`${from} ${to}`, `${file} -> ${target}`);
    const back = edges.get(`${to} ${from}`);
    if (back !== undefined) return `${back}, ${file} -> ${target}`;
  }
  return undefined;
}

function relativeImports(imports: readonly Import[]): { file: string; target: string }[] {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ file, specifier }) => ({ file, target: join(dirname(file), specifier) }));
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

function firstCycle(edges: readonly Edge[]): readonly Edge[] | undefined {
  const bySource = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const walk = (at: string, path: readonly Edge[]): readonly Edge[] | undefined => {
    const start = path.findIndex(({ from }) => from === at);
    if (start >= 0) return path.slice(start);
    if (done.has(at)) return undefined;
    for (const edge of bySource.get(at) ?? []) {
      const found = walk(edge.to, [...path, edge]);
      if (found !== undefined) return found;
    }
    done.add(at);
    return undefined;
  };
  for (const from of bySource.keys()) {
    const found = walk(from, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
