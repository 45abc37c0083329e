import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Secrets that a machine of a release engineer may have, by their place. */
const CANARIES = [
  'docker-config',
  'auth-file',
  'passphrase',
  'proxy',
  'environment',
  'git-remote',
  'git-config',
  'workspace-mirror',
  'kubeconfig',
  'pip-config',
  'npm-config',
  'netrc',
].map((place) => [place, `canary-${Buffer.from(place).toString('hex')}`] as const);

/** The secret of a place. */
export function canary(place: string): string {
  return CANARIES.find(([name]) => name === place)![1];
}

/**
 * Writes a home folder with secrets; `host` is the registry of the logins, whose user is `user`.
 * Returns the environment that names its files and has more secrets.
 */
export function writeCanaries(home: string, host: string): Record<string, string> {
  mkdirSync(join(home, '.config/pip'), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(home, path), text);
  const auths = (place: string): string =>
    JSON.stringify({
      auths: { [host]: { auth: Buffer.from(`user:${canary(place)}`).toString('base64') } },
    });
  write('config.json', auths('docker-config'));
  write('auth.json', auths('auth-file'));
  write('passphrase', `${canary('passphrase')}\n`);
  write('.gitconfig', `[http]\n\textraHeader = "Authorization: ${canary('git-config')}"\n`);
  write('kubeconfig', `users: [{ name: a, user: { token: ${canary('kubeconfig')} } }]\n`);
  write(
    '.config/pip/pip.conf',
    `[global]\nindex-url = https://u:${canary('pip-config')}@pypi.test/\n`,
  );
  write('.npmrc', `//npm.test/:_authToken=${canary('npm-config')}\n`);
  write('.netrc', `machine a.test login u password ${canary('netrc')}\n`);
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    DOCKER_CONFIG: home,
    REGISTRY_AUTH_FILE: join(home, 'auth.json'),
    KUBECONFIG: join(home, 'kubeconfig'),
    HTTPS_PROXY: `http://u:${canary('proxy')}@127.0.0.1:9`,
    RELEASE_TOKEN: canary('environment'),
  };
}

/** The secrets in files, also in compressed ones, and in texts; each with its place. */
export function findCanaries(
  files: readonly string[],
  texts: Readonly<Record<string, string>>,
): readonly string[] {
  const found: string[] = [];
  const look = (bytes: Buffer, where: string): void => {
    for (const [place, text] of CANARIES) {
      const base64 = Buffer.from(`user:${text}`).toString('base64');
      if (bytes.includes(text) || bytes.includes(base64)) found.push(`${place} in ${where}`);
    }
  };
  for (const file of files) {
    const bytes = readFileSync(file);
    look(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes, file);
  }
  for (const [where, text] of Object.entries(texts)) look(Buffer.from(text), where);
  return found;
}
