import { CcpError } from '#core';
import { discoverDebianMirrors } from './discover-debian.ts';
import { discoverGoProxies } from './discover-go.ts';
import { discoverNpmRegistries } from './discover-npm.ts';
import { discoverPythonIndex } from './discover-python.ts';
import type { DebianMirrors, Mirrors, MirrorSettings, PythonIndex } from './mirrors.ts';

/** Discovery of the host's configuration; tests replace it. */
export interface MirrorHost {
  readonly debian: () => DebianMirrors;
  readonly python: () => PythonIndex[];
  readonly go: () => string[];
  readonly npm: () => string[];
}

/**
 * Returns the mirrors of the settings, else of the host; each kind is looked up once, when first
 * used. Raises `mirror-unknown` with the setting's name if neither configures a mirror.
 */
export function openMirrors(
  settings: MirrorSettings = {},
  host: MirrorHost = {
    debian: discoverDebianMirrors,
    python: discoverPythonIndex,
    go: discoverGoProxies,
    npm: discoverNpmRegistries,
  },
): Mirrors {
  let debian: DebianMirrors | undefined;
  let python: readonly PythonIndex[] | undefined;
  let go: readonly string[] | undefined;
  let npm: readonly string[] | undefined;
  return {
    debian() {
      if (debian !== undefined) return debian;
      const found =
        settings.debian !== undefined && settings.debianSecurity !== undefined
          ? undefined
          : host.debian();
      const roots = {
        debian: trimmed(settings.debian) ?? found?.debian ?? [],
        'debian-security': trimmed(settings.debianSecurity) ?? found?.['debian-security'] ?? [],
      };
      if (roots.debian.length === 0) throw unknown('the Debian archive', 'debian');
      if (roots['debian-security'].length === 0)
        throw unknown("Debian's security archive", 'debianSecurity');
      return (debian = roots);
    },
    python() {
      return (python ??=
        settings.python?.map((url) => ({ url: url.replace(/\/*$/, '/'), from: '.ccp.yaml' })) ??
        host.python());
    },
    go() {
      return (go ??= trimmed(settings.go) ?? host.go());
    },
    npm() {
      return (npm ??= trimmed(settings.npm ?? host.npm()));
    },
  };
}

function trimmed(urls: readonly string[]): string[];
function trimmed(urls: readonly string[] | undefined): string[] | undefined;
function trimmed(urls: readonly string[] | undefined): string[] | undefined {
  return urls?.map((url) => url.replace(/\/+$/, ''));
}

function unknown(archive: string, setting: string): CcpError {
  return new CcpError({
    code: 'mirror-unknown',
    message: `no mirror of ${archive} is configured: the host's apt sources list none over HTTP`,
    hint: `set "mirrors: { ${setting}: [URL] }" in .ccp.yaml to the archive's root`,
  });
}
