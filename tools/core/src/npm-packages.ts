/** The name of a package's archive, scope included so that it is one of a kind: `napi-rs-lzma-1.5.3.tgz`. */
export function npmFile(name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

/** Where a registry keeps a package's archive. */
export function npmUrl(registry: string, name: string, version: string): string {
  return `${registry.replace(/\/+$/, '')}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
}
