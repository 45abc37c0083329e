import { spawnSync } from 'node:child_process';
import { CcpError, codeOf, isRecord, parseJson, registerSecret } from '#core';
import type { RegistryCredentials } from '../options.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 1 << 20;

/**
 * Asks `docker-credential-NAME` for the credentials of a host, which it reads from its standard
 * input. Undefined if the helper has none, or is missing and `isOptional`. Throws
 * `credentials-invalid`; its text never has the helper's output.
 */
export function askHelper(
  name: string,
  host: string,
  environment: Readonly<Record<string, string | undefined>>,
  isOptional = false,
): RegistryCredentials | undefined {
  const program = `docker-credential-${name}`;
  const refuse = (reason: string): CcpError =>
    new CcpError({
      code: 'credentials-invalid',
      message: `the credential helper ${program} ${reason}`,
      hint: `run \`echo ${host} | ${program} get\` to see the cause, or log in again`,
    });
  if (!NAME.test(name)) throw refuse('has an invalid name');
  const { status, stdout, error } = spawnSync(program, ['get'], {
    input: host,
    env: environment as NodeJS.ProcessEnv,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // A helper may end without reading its input.
  if (error !== undefined && codeOf(error) !== 'EPIPE') {
    const isMissing = codeOf(error) === 'ENOENT';
    if (isMissing && isOptional) return undefined;
    throw refuse(isMissing ? 'is missing' : 'failed');
  }
  // Helpers say that they have no entry in different words, always with exit code 1.
  if (status === 1) return undefined;
  if (status !== 0) throw refuse(`ended with ${status ?? 'a signal'}`);
  return parseAnswer(stdout) ?? raise(refuse('printed no credentials'));
}

function parseAnswer(text: string): RegistryCredentials | undefined {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isRecord(answer)) return undefined;
  const { Username: user, Secret: password } = answer;
  if (typeof user !== 'string' || typeof password !== 'string' || password === '') return undefined;
  registerSecret(password);
  return user === '<token>' ? { identityToken: password } : { user, password };
}

function raise(error: Error): never {
  throw error;
}
