import { CcpError, messageOf } from '#core';
import { findDockerd } from './dockerd.ts';
import { parseEndpoint } from './endpoint.ts';
import { pingEngine } from './ping-engine.ts';
import { NOT_ROOT_HINT, runningEndpoint, startPrivateEngine } from './private-engine.ts';

const DEFAULT_SOCKET = 'unix:///var/run/docker.sock';
const PING_MS = 5000;

/** Debian's package of the Docker Engine. */
const PACKAGES = ['docker.io'];

export interface EnsureEnginesOptions {
  /** Configured endpoints. If there are any, no other engine is tried. */
  readonly endpoints: readonly string[];
  /**
   * Absolute path of the folder for a private engine's data, outside the workspace. Created if
   * missing.
   */
  readonly folder: string;
  /** Installs Debian packages, after confirmation if needed. Throws if declined or failed. */
  readonly installPackages: (names: readonly string[]) => Promise<void>;
  /** Prints a sentence about the current operation. */
  readonly say: (sentence: string) => void;
  /** Source of DOCKER_HOST; default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Socket to try if no endpoint is configured; default: Docker's. */
  readonly defaultSocket?: string;
}

/**
 * Returns at least one endpoint that responds: the configured ones, else DOCKER_HOST, else Docker's
 * default socket, else a private engine, which is installed and started if needed. Throws
 * `engine-unreachable` if a configured engine does not respond, `engine-missing` if no engine is
 * available, and `endpoint-invalid`, before any connection, for an invalid endpoint.
 */
export async function ensureEngines(options: EnsureEnginesOptions): Promise<readonly string[]> {
  const {
    environment = process.env,
    defaultSocket = DEFAULT_SOCKET,
    folder,
    installPackages,
    say,
  } = options;
  const host = environment['DOCKER_HOST'] ?? '';
  const configured = options.endpoints.length > 0 || host === '' ? options.endpoints : [host];
  if (configured.length > 0) {
    await Promise.all(
      configured.map(parseEndpoint).map((endpoint) => pingEngine(endpoint, PING_MS)),
    );
    return configured;
  }
  const failure = await pingFailure(defaultSocket);
  if (failure === undefined) return [defaultSocket];
  if (process.getuid?.() !== 0) {
    throw new CcpError({
      code: 'engine-missing',
      message: `no engine is available (${failure}), and only root can start a private engine`,
      hint: NOT_ROOT_HINT,
    });
  }
  if (findDockerd() === undefined) {
    say(`no engine is available (${failure})`);
    await installPackages(PACKAGES);
    // With an init system, Debian's package starts its engine during installation.
    if ((await pingFailure(defaultSocket)) === undefined) return [defaultSocket];
  }
  return [(await startPrivateEngine({ folder, say })).endpoint];
}

/** Engines that respond, and configured ones that do not. */
export interface FoundEngines {
  readonly endpoints: readonly string[];
  readonly unreachable: readonly string[];
}

/**
 * The engines that an earlier ccp process is likely to have used: those of `ensureEngines` that
 * respond, and the private engine if it runs. Does not install or start an engine, and does not
 * throw.
 */
export async function findEngines({
  endpoints,
  folder,
  environment = process.env,
  defaultSocket = DEFAULT_SOCKET,
}: Pick<
  EnsureEnginesOptions,
  'endpoints' | 'folder' | 'environment' | 'defaultSocket'
>): Promise<FoundEngines> {
  const host = environment['DOCKER_HOST'] ?? '';
  const configured = endpoints.length > 0 || host === '' ? endpoints : [host];
  const own = runningEndpoint(folder);
  const candidates = [
    ...new Set([
      ...(configured.length > 0 ? configured : [defaultSocket]),
      ...(own === undefined ? [] : [own]),
    ]),
  ];
  const pings = await Promise.all(
    candidates.map(async (endpoint) => ({ endpoint, responds: await responds(endpoint) })),
  );
  return {
    endpoints: pings.filter((each) => each.responds).map(({ endpoint }) => endpoint),
    unreachable: pings
      .filter((each) => !each.responds && configured.includes(each.endpoint))
      .map(({ endpoint }) => endpoint),
  };
}

async function responds(endpoint: string): Promise<boolean> {
  try {
    await pingEngine(parseEndpoint(endpoint), PING_MS);
    return true;
  } catch {
    return false;
  }
}

/** Why an engine does not respond; undefined if it does. */
function pingFailure(endpoint: string): Promise<string | undefined> {
  return pingEngine(parseEndpoint(endpoint), PING_MS).then(() => undefined, messageOf);
}
