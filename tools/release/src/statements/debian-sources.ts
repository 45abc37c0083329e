import type { Component, InstalledPackage } from './types.ts';

/** A component, with the source package that it was built from if it is a Debian package. */
export interface SourcedComponent extends Component {
  readonly builtFrom?: { readonly name: string; readonly version: string };
}

/** Adds the source packages of Debian packages, by the list of installed packages. */
export function withDebianSources(
  components: readonly Component[],
  installed: readonly InstalledPackage[],
): readonly SourcedComponent[] {
  const known = new Map(installed.map((each) => [each.name, each]));
  return components.map((component) => {
    if (component.kind !== 'debian') return component;
    const { source, sourceVersion } = known.get(component.name) ?? {};
    const name = source ?? component.name;
    return { ...component, builtFrom: { name, version: sourceVersion ?? component.version } };
  });
}
