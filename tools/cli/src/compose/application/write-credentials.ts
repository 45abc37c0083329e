import { join } from 'node:path';
import { yamlText } from '#formats';
import type { SiteIdentity } from '#site';
import { writeAtomically } from '../../state/files.ts';

/** The account that keystone is created with. */
const ADMIN = {
  username: 'admin',
  project_name: 'admin',
  user_domain_name: 'Default',
  project_domain_name: 'Default',
} as const;

/** What the files of an application say. */
export interface Credentials {
  readonly name: string;
  readonly identity: SiteIdentity;
  /** CA certificates of its hosts. */
  readonly ca?: string;
  /** Options that lead kubectl to the cluster. */
  readonly kubectl: readonly string[];
}

/** The files in `folder`. */
export interface CredentialFiles {
  readonly openrc: string;
  readonly clouds: string;
  readonly ca?: string;
}

/**
 * Writes `openrc` and `clouds.yaml` for the administrator of a site, and the CA certificates if it
 * has some. No file has the password: openrc asks the cluster for it.
 */
export function writeCredentials(
  folder: string,
  { name, identity, ca, kubectl }: Credentials,
): CredentialFiles {
  const { authUrl, region } = identity;
  const files = {
    openrc: join(folder, 'openrc'),
    clouds: join(folder, 'clouds.yaml'),
    ...(ca === undefined ? {} : { ca: join(folder, 'ca.pem') }),
  };
  if (files.ca !== undefined) writeAtomically(files.ca, ca!);
  const variables = {
    OS_AUTH_URL: authUrl,
    OS_REGION_NAME: region,
    OS_IDENTITY_API_VERSION: '3',
    ...Object.fromEntries(
      Object.entries(ADMIN).map(([key, value]) => [`OS_${key.toUpperCase()}`, value]),
    ),
    ...(files.ca === undefined ? {} : { OS_CACERT: files.ca }),
  };
  writeAtomically(
    files.openrc,
    [
      `# Logs in as the administrator of ${name}: . ${quoted(files.openrc)}`,
      ...Object.entries(variables).map(([key, value]) => `export ${key}=${quoted(value)}`),
      `OS_PASSWORD=$(${passwordCommand(identity, kubectl)})`,
      'export OS_PASSWORD',
      '',
    ].join('\n'),
  );
  const cloud = {
    auth: { auth_url: authUrl, ...ADMIN },
    region_name: region,
    identity_api_version: 3,
    ...(files.ca === undefined ? {} : { cacert: files.ca }),
  };
  writeAtomically(
    files.clouds,
    `# The password is in the variable OS_PASSWORD:\n# OS_PASSWORD=$(${passwordCommand(identity, kubectl)})\n${yamlText({ clouds: { [name]: cloud } })}`,
  );
  return files;
}

/** The command that prints the password. */
function passwordCommand(
  { secret: { namespace, name } }: SiteIdentity,
  options: readonly string[],
): string {
  const words = ['kubectl', ...options, '-n', namespace, 'get', 'secret', name].map(quoted);
  return `${words.join(' ')} -o jsonpath='{.data.password}' | base64 -d`;
}

/** A word for the shell. */
function quoted(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
