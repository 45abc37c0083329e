import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What each package in tools/ may import of ours; `:types` allows `import type` only. The table of the design. */
const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  core: [],
  host: ['core'],
  ports: ['core'],
  definitions: ['core', 'host', 'ports'],
  graph: ['core', 'definitions:types'],
  locks: ['core', 'host', 'ports', 'definitions', 'graph'],
  inputs: ['core', 'host', 'ports', 'definitions:types', 'locks:types'],
  plan: ['core', 'ports', 'graph', 'inputs'],
  build: ['core', 'ports', 'plan', 'inputs'],
  store: ['core', 'host', 'ports'],
  release: ['core', 'ports', 'plan:types', 'build:types'],
  deploy: ['core', 'ports', 'definitions:types', 'release'],
  engines: ['core', 'host', 'ports'],
  cluster: ['core', 'host', 'ports', 'engines'],
  entrypoint: ['core', 'ports:types', 'engines'],
  'nx-plugin': ['core', 'definitions', 'graph', 'cli'],
  cli: ['core', 'host', 'ports', 'definitions', 'graph', 'locks', 'inputs', 'plan', 'build', 'store', 'release', 'deploy', 'engines', 'cluster'],
};

/** Third-party modules that talk to daemons or clusters, and the one package that may load them. */
const CLIENTS: Readonly<Record<string, string>> = { dockerode: 'engines', '@kubernetes/client-node': 'engines' };

export interface Import {
  readonly file: string;
  readonly package: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const STATEMENT = /^(import|export)\s+(type\s)?[^;'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|(typeof\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Every import of every source (tests left out) below `tools`, an absolute path. */
export function readImports(tools: string): readonly Import[] {
  return readdirSync(tools, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
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

/** What breaks the table, a sentence each. */
export function breaches(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((each) => breachOf(each) ?? []);
}

function breachOf({ file, package: from, specifier, typeOnly }: Import): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative(resolve('/tools'), resolve('/tools', dirname(file), specifier)).split('/')[0];
    return target === from ? undefined : `${file} reaches into ${target} by a path (${specifier}); import #${target}`;
  }
  if (!specifier.startsWith('#')) {
    const owner = CLIENTS[specifier];
    return owner === undefined || owner === from ? undefined : `${file} imports ${specifier}; only ${owner} may`;
  }
  const target = specifier.slice(1).split('/')[0] as string;
  if (target === from) return `${file} imports its own package by name (${specifier})`;
  const allowed = IMPORT_TABLE[from] ?? [];
  if (allowed.includes(target) || (typeOnly && allowed.includes(`${target}:types`))) return undefined;
  return `${file} imports ${typeOnly ? 'types of ' : ''}${specifier}; ${from} may import: ${allowed.join(', ') || 'nothing of ours'}`;
}

/** The first cycle of packages, as the chain of files that make it; `undefined` where there is none. */
export function packageCycle(imports: readonly Import[]): string | undefined {
  const edges = new Map<string, Map<string, string>>();
  for (const { package: from, specifier, typeOnly, file } of imports) {
    if (!specifier.startsWith('#') || typeOnly) continue;
    const to = specifier.slice(1).split('/')[0] as string;
    if (to !== from) edges.set(from, new Map([...(edges.get(from) ?? []), [to, file]]));
  }
  const walk = (at: string, path: readonly string[], files: readonly string[]): string | undefined => {
    const seen = path.indexOf(at);
    if (seen >= 0) return [...files.slice(seen).map((file, index) => `${file} -> ${[...path, at][seen + index + 1]}`)].join(', ');
    for (const [to, file] of edges.get(at) ?? []) {
      const found = walk(to, [...path, at], [...files, file]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const from of edges.keys()) {
    const found = walk(from, [], []);
    if (found !== undefined) return found;
  }
  return undefined;
}
