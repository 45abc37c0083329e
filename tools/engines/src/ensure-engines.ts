import { CcpError, messageOf } from '#core';
import { findDockerd } from './dockerd.ts';
import { parseEndpoint } from './endpoint.ts';
import { pingEngine } from './ping-engine.ts';
import { NOT_ROOT, runningEndpoint, startPrivateEngine } from './private-engine.ts';

const DEFAULT_SOCKET = 'unix:///var/run/docker.sock';
const PING_MS = 5000;

/** Debian's engine; on other systems its package is found by hand. */
const PACKAGES = ['docker.io'];

export interface EnsureEnginesOptions {
  /** Endpoints somebody named; where there are any, nothing else is tried. */
  readonly endpoints: readonly string[];
  /** Absolute path of a folder outside the workspace for a private engine's data; made where it is missing. */
  readonly folder: string;
  /** Installs Debian packages, having asked where it must; raises where that was refused or failed. */
  readonly installPackages: (names: readonly string[]) => Promise<void>;
  /** Takes a sentence about what is being done. */
  readonly say: (sentence: string) => void;
  /** Where DOCKER_HOST is looked up; this process's environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The socket that is tried where nothing is named; by default Docker's own. */
  readonly defaultSocket?: string;
}

/**
 * Endpoints that answer, at least one: the named ones, else DOCKER_HOST, else Docker's default socket, else a private
 * engine's, which is installed and started where it must be. Raises `engine-unreachable` where a named one does not answer,
 * `engine-missing` where none can be had, `endpoint-invalid` for an endpoint of no known form, before any is asked.
 */
export async function ensureEngines(options: EnsureEnginesOptions): Promise<readonly string[]> {
  const { environment = process.env, defaultSocket = DEFAULT_SOCKET, folder, installPackages, say } = options;
  const host = environment['DOCKER_HOST'] ?? '';
  const named = options.endpoints.length > 0 || host === '' ? options.endpoints : [host];
  if (named.length > 0) {
    await Promise.all(named.map(parseEndpoint).map((endpoint) => pingEngine(endpoint, PING_MS)));
    return named;
  }
  const silence = await silenceOf(defaultSocket);
  if (silence === undefined) return [defaultSocket];
  if (process.getuid?.() !== 0) {
    throw new CcpError({ code: 'engine-missing', message: `no engine answers (${silence}), and only root can start a private one`, hint: NOT_ROOT });
  }
  if (findDockerd() === undefined) {
    say(`no engine answers (${silence})`);
    await installPackages(PACKAGES);
    // Where an init system runs, Debian's package has started an engine of its own.
    if ((await silenceOf(defaultSocket)) === undefined) return [defaultSocket];
  }
  return [(await startPrivateEngine({ folder, say })).endpoint];
}

/** Engines that are there, and named ones that are not. */
export interface FoundEngines {
  readonly endpoints: readonly string[];
  readonly silent: readonly string[];
}

/**
 * The engines that `ensureEngines` would give, as far as they answer, and the private one where it runs: all that a run of ours is likely to
 * have used. Installs and starts nothing; raises nothing.
 */
export async function findEngines({
  endpoints,
  folder,
  environment = process.env,
  defaultSocket = DEFAULT_SOCKET,
}: Pick<EnsureEnginesOptions, 'endpoints' | 'folder' | 'environment' | 'defaultSocket'>): Promise<FoundEngines> {
  const host = environment['DOCKER_HOST'] ?? '';
  const named = endpoints.length > 0 || host === '' ? endpoints : [host];
  const own = runningEndpoint(folder);
  const asked = [...new Set([...(named.length > 0 ? named : [defaultSocket]), ...(own === undefined ? [] : [own])])];
  const answers = await Promise.all(asked.map(async (endpoint) => ({ endpoint, answers: await isThere(endpoint) })));
  return {
    endpoints: answers.filter((each) => each.answers).map(({ endpoint }) => endpoint),
    silent: answers.filter((each) => !each.answers && named.includes(each.endpoint)).map(({ endpoint }) => endpoint),
  };
}

async function isThere(endpoint: string): Promise<boolean> {
  try {
    await pingEngine(parseEndpoint(endpoint), PING_MS);
    return true;
  } catch {
    return false;
  }
}

/** Why nothing answers at an endpoint; nothing where something does. */
function silenceOf(endpoint: string): Promise<string | undefined> {
  return pingEngine(parseEndpoint(endpoint), PING_MS).then(() => undefined, messageOf);
}
