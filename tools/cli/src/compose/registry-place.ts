import { execFileSync } from 'node:child_process';
import { hostname, userInfo } from 'node:os';
import { CcpError, fileFault } from '#core';
import { openMemo, readGiven } from '#host';
import {
  parsePlace,
  publicKeyOf,
  signerOf,
  type Place,
  type PublicKey,
  type Signer,
} from '#release';
import { connectRegistry, loginCredentials, openArchive } from '#store';
import { statePaths } from '../state/paths.ts';
import { readSettings, type Settings } from './settings.ts';

/** Flags of commands that sign. */
export interface KeyFlags {
  readonly key?: string;
  readonly passphraseFile?: string;
  readonly passphraseCommand?: string;
}

/** Flags of commands that check signatures. */
export interface TrustFlags {
  readonly trust?: readonly string[];
}

const MAX_KEY = 64 << 10;
const PASSPHRASE_TIMEOUT_MS = 120_000;

/** Prefix of a bundle's path in `--from`; skopeo has the same. */
const ARCHIVE = 'oci-archive:';

/**
 * The registry and path that `--to` or `--from` names, with the logins of container tools; or the
 * bundle that `--from oci-archive:FILE` names.
 */
export async function openPlace(text: string | undefined, flag: '--to' | '--from'): Promise<Place> {
  if (text === undefined)
    throw new CcpError({
      code: 'usage',
      message: `${flag} is missing`,
      hint: `name a registry and a path, like ${flag} registry.example.org/ccp`,
    });
  if (flag === '--from' && text.startsWith(ARCHIVE)) {
    const { registry } = await openArchive(text.slice(ARCHIVE.length), 'ccp');
    return { registry, prefix: 'ccp' };
  }
  const { prefix, ...options } = parsePlace(text);
  const credentials = await loginCredentials(process.env);
  return { registry: await connectRegistry({ ...options, credentials }), prefix };
}

/** The public keys of `--trust`, else of `trust` in the settings. Throws `key-invalid`. */
export function trustedKeys(
  settings: Pick<Settings, 'trust'>,
  { trust }: TrustFlags,
): readonly PublicKey[] {
  return (trust ?? settings.trust ?? []).map((file) => publicKeyOf(readKey(file), file));
}

/** The signer of `--key`; undefined without it. Throws `key-invalid`. */
export function signerOfFlags({ key, ...flags }: KeyFlags): Signer | undefined {
  if (key !== undefined) return signerOf(readKey(key), key, passphraseOf(flags));
  const [flag] = [
    ...(flags.passphraseFile === undefined ? [] : ['--passphrase-file']),
    ...(flags.passphraseCommand === undefined ? [] : ['--passphrase-command']),
  ];
  if (flag === undefined) return undefined;
  throw new CcpError({ code: 'usage', message: `${flag} cannot be used without --key` });
}

/** The first line of the passphrase file, or of the output of the passphrase command. */
export function passphraseOf({
  passphraseFile,
  passphraseCommand,
}: Omit<KeyFlags, 'key'>): string | undefined {
  if (passphraseFile !== undefined && passphraseCommand !== undefined)
    throw new CcpError({
      code: 'usage',
      message: '--passphrase-file and --passphrase-command cannot be used together',
    });
  if (passphraseFile !== undefined) return firstLine(readKey(passphraseFile), passphraseFile);
  if (passphraseCommand === undefined) return undefined;
  try {
    const printed = execFileSync('/bin/sh', ['-c', passphraseCommand], {
      stdio: ['inherit', 'pipe', 'inherit'],
      timeout: PASSPHRASE_TIMEOUT_MS,
      maxBuffer: MAX_KEY,
    });
    return firstLine(printed.toString(), 'the passphrase command');
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    // The error of the system has the output in its members.
    throw new CcpError({
      code: 'key-invalid',
      message: 'the passphrase command failed',
      hint: 'run it in a shell to see the cause',
    });
  }
}

function firstLine(text: string, name: string): string {
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '')
    throw new CcpError({ code: 'key-invalid', message: `${name} has no passphrase` });
  return line;
}

function readKey(file: string): string {
  try {
    return readGiven(file, MAX_KEY).toString();
  } catch (thrown) {
    throw fileFault(thrown, 'read', file);
  }
}

/** The signer of `--key`, which must be named. */
export function requireSigner(flags: KeyFlags): Signer {
  const signer = signerOfFlags(flags);
  if (signer !== undefined) return signer;
  throw new CcpError({
    code: 'usage',
    message: '--key is missing',
    hint: 'make a key with `ccp keygen FILE`',
  });
}

/** The public keys of `--trust`, else of the settings of the workspace at `root`. */
export function readTrustedKeys(root: string, flags: TrustFlags): readonly PublicKey[] {
  return trustedKeys(readSettings(root, openMemo(statePaths(root).memo)), flags);
}

/** The registry of `--from` and the trusted keys, with that of `signer`. */
export async function openReader(
  root: string,
  { from, ...trust }: TrustFlags & { readonly from?: string },
  signer?: Signer,
): Promise<{ readonly place: Place; readonly keys: readonly PublicKey[] }> {
  const keys = readTrustedKeys(root, trust);
  const place = await openPlace(from, '--from');
  return { place, keys: signer === undefined ? keys : [signer.key, ...keys] };
}

/**
 * Who runs the command: `USER@HOST`. A user ID without an entry in the system's list of users, as
 * in a container, has the name in `USER`, else `uid-N`.
 */
export function movedBy(
  userName = (): string => userInfo().username,
  { USER }: NodeJS.ProcessEnv = process.env,
): string {
  let user: string;
  try {
    user = userName();
  } catch {
    user = USER || `uid-${process.getuid!()}`;
  }
  return `${user}@${hostname()}`;
}
