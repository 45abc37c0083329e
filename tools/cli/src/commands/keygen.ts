import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { CcpError } from '#core';
import type { KeyType } from '#release';
import type { CommandDefinition } from '../command.ts';
import type { KeyFlags } from '../compose/registry-place.ts';
import { PASSPHRASE } from '../options.ts';

export interface KeygenFlags extends Omit<KeyFlags, 'key'> {
  readonly type: KeyType;
}

/** `ccp keygen FILE`: a key pair to sign image sets. */
export const keygen: CommandDefinition<KeygenFlags> = {
  usage: 'keygen <file>',
  description:
    'make a key to sign image sets: FILE is the private key (PKCS#8), FILE.pub the public one',
  options: [
    new Option('--type <type>', 'type of the key').choices(['ed25519', 'p256']).default('ed25519'),
    ...PASSPHRASE,
  ],
  examples: ['ccp keygen release.key --passphrase-file secret'],
  run: async ({ output }, [file = ''], { type, ...flags }) => {
    const { newKeyPair } = await import('#release');
    const { passphraseOf } = await import('../compose/registry-place.ts');
    const { writeNamed } = await import('../state/named-file.ts');
    const taken = [file, `${file}.pub`].find((path) => existsSync(path));
    if (taken !== undefined)
      throw new CcpError({
        code: 'usage',
        message: `${taken} already exists`,
        hint: 'choose another name: a lost key cannot be made again',
      });
    const passphrase = passphraseOf(flags);
    const { privateKey, publicKey } = newKeyPair(type, passphrase);
    writeNamed(file, privateKey, { mode: 0o600 });
    writeNamed(`${file}.pub`, publicKey);
    if (passphrase === undefined) output.warn(`${file} is not encrypted: keep it secret`);
    output.result(`${file} and ${file}.pub written`, { key: file, publicKey: `${file}.pub`, type });
    return 0;
  },
};
