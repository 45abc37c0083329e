/** One file of a Go module as the module proxy serves it. */
export interface GoModuleFile {
  /** Path of the module: `github.com/prometheus/node_exporter`. */
  readonly name: string;
  /** `v1.12.1` */
  readonly version: string;
  /** The module's tree, or its go.mod alone. */
  readonly kind: 'zip' | 'mod';
  /** What go.sum says of the file: `h1:` and a hash over its content in base64. */
  readonly sum: string;
}

/** The module that the programs of an image are built in. */
export const GO_MAIN_MODULE = 'ccp/image';

/** A module's path or version as file names and URLs have it: `!` and the small letter in place of a capital (https://go.dev/ref/mod#goproxy-protocol). */
export function escapeGoPath(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** Where a file of a module lies below the root of a module proxy. */
export function goProxyPath({ name, version, kind }: Pick<GoModuleFile, 'name' | 'version' | 'kind'>): string {
  return `${escapeGoPath(name)}/@v/${escapeGoPath(version)}.${kind}`;
}

/** A go.mod that requires these modules, and a go.sum that names every byte of them; the same files give the same texts. */
export function goModuleFiles(language: string, files: readonly GoModuleFile[]): { readonly mod: string; readonly sum: string } {
  const required = files.filter(({ kind }) => kind === 'zip').map(({ name, version }) => `\t${name} ${version}\n`);
  const sums = files.map(({ name, version, kind, sum }) => `${name} ${version}${kind === 'mod' ? '/go.mod' : ''} ${sum}\n`);
  return { mod: `module ${GO_MAIN_MODULE}\n\ngo ${language}\n\nrequire (\n${required.sort().join('')})\n`, sum: sums.sort().join('') };
}

/** The module of `modules` that holds the package of this import path. */
export function goModuleOf(path: string, modules: readonly string[]): string | undefined {
  return modules.filter((module) => path === module || path.startsWith(`${module}/`)).sort((a, b) => b.length - a.length)[0];
}
