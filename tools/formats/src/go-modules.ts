/** A file of a Go module on a module proxy. */
export interface GoModuleFile {
  /** Module path: `github.com/prometheus/node_exporter`. */
  readonly name: string;
  /** `v1.12.1` */
  readonly version: string;
  /** The module's source tree, or only its go.mod. */
  readonly kind: 'zip' | 'mod';
  /** Its hash in go.sum: `h1:` and base64. */
  readonly sum: string;
}

/** Module path of the main module in which an image's programs are built. */
export const GO_MAIN_MODULE = 'ccp/image';

/**
 * Escapes a module path or version for file names and URLs: `!` and the lower-case letter for each
 * capital letter (https://go.dev/ref/mod#goproxy-protocol).
 */
export function escapeGoPath(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** Path of a module file on a module proxy. */
export function goProxyPath({
  name,
  version,
  kind,
}: Pick<GoModuleFile, 'name' | 'version' | 'kind'>): string {
  return `${escapeGoPath(name)}/@v/${escapeGoPath(version)}.${kind}`;
}

/**
 * A go.mod that requires these modules, and a go.sum with the hashes of all files. Equal files give
 * equal texts.
 */
export function goModuleFiles(
  language: string,
  files: readonly GoModuleFile[],
): { readonly mod: string; readonly sum: string } {
  const required = files
    .filter(({ kind }) => kind === 'zip')
    .map(({ name, version }) => `\t${name} ${version}\n`);
  const sums = files.map(
    ({ name, version, kind, sum }) =>
      `${name} ${version}${kind === 'mod' ? '/go.mod' : ''} ${sum}\n`,
  );
  return {
    mod: `module ${GO_MAIN_MODULE}\n\ngo ${language}\n\nrequire (\n${required.sort().join('')})\n`,
    sum: sums.sort().join(''),
  };
}

/** The module that contains the package with this import path. */
export function goModuleOf(path: string, modules: readonly string[]): string | undefined {
  return modules
    .filter((module) => path === module || path.startsWith(`${module}/`))
    .sort((a, b) => b.length - a.length)[0];
}
