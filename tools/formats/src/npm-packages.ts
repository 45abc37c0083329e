/**
 * The file name of a package's archive, with the scope, so that it is unique:
 * `napi-rs-lzma-1.5.3.tgz`.
 */
export function npmFile(name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** URL of a package's archive in a registry. */
export function npmUrl(registry: string, name: string, version: string): string {
  return `${registry.replace(/\/+$/, '')}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
}
