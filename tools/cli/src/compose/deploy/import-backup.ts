import { createPrivateKey } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CcpError, registerSecret } from '#core';
import { openKeys, parseSealedKeys } from '#rollout';
import { FIELD_MANAGER, secretName } from '#site';
import {
  backupFile,
  backupFiles,
  nameInFolder,
  readBackupFolder,
  type Manifest,
} from './backup-folder.ts';
import type { CommandContext } from '../../command.ts';
import type { RunningSite } from './open-site.ts';
import { backupSigner, checkBackupSignature } from './sign-backup.ts';
import { withTransfer } from './transfer-backup.ts';

/**
 * Checks the signature of an exported backup if the site names a key for it, and warns otherwise.
 * Throws `untrusted`.
 */
export async function checkImported(
  { root, output }: Pick<CommandContext, 'root' | 'output'>,
  site: string,
  folder: string,
): Promise<void> {
  const key = backupSigner(root, site);
  if (key === undefined)
    output.warn(
      `nothing proves who wrote ${folder}: the site has no deploy-specs/${site}/backup-signer.pub`,
    );
  else await checkBackupSignature(folder, { site, name: basename(resolve(folder)) }, key);
}

/** Copies an exported backup to the claim of an app; its name. */
export async function importBackup(
  running: RunningSite,
  app: string,
  folder: string,
): Promise<{ readonly name: string; readonly manifest: Manifest }> {
  const { manifest } = readBackupFolder(folder);
  const name = nameInFolder(basename(resolve(folder)));
  const files = backupFiles.data.map((file) => ({ file, path: backupFile(folder, file) }));
  await withTransfer(running, app, name, async (program) => {
    for (const { file, path } of files) {
      await program(['receive', file, String(statSync(path).size)], {
        input: createReadStream(path),
      });
    }
    await program(['accept']);
  });
  return { name, manifest };
}

/** A Secret that was made from exported keys, or that existed and was not changed. */
export interface ImportedSecret {
  readonly name: string;
  readonly outcome: 'created' | 'exists';
}

/**
 * Makes the Secrets of an exported backup's keys, in the generations of the site, and the namespace
 * if it is missing. Existing Secrets are not changed. Throws `key-invalid` and `backup-key`.
 */
export async function importKeys(
  { cluster, site }: RunningSite,
  folder: string,
  { file, passphrase }: { readonly file: string; readonly passphrase: string | undefined },
): Promise<readonly ImportedSecret[]> {
  const { keys } = readBackupFolder(folder);
  const privateKey = privateKeyIn(file, passphrase);
  const opened = keys.map((each) => {
    const sealed = parseSealedKeys(each.text, each.file);
    return { app: sealed.app, secrets: openKeys(sealed, privateKey) };
  });
  const unknown = opened.find(({ app }) => !Object.hasOwn(site.apps, app));
  if (unknown !== undefined)
    throw new CcpError({
      code: 'backup-invalid',
      message: `the backup has keys of ${unknown.app}, which the site ${site.name} does not have`,
      hint: 'check that the backup was exported from this site',
    });
  await makeNamespace({ cluster, site });
  const made: ImportedSecret[] = [];
  for (const { app, secrets } of opened)
    for (const [secret, values] of Object.entries(secrets)) {
      for (const value of Object.values(values)) registerSecret(value);
      const name = secretName({ name: app, settings: site.apps[app]! }, secret);
      const { outcome } = await cluster.create(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name,
            namespace: site.namespace,
            labels: {
              'app.kubernetes.io/part-of': site.name,
              'app.kubernetes.io/instance': app,
            },
          },
          type: 'Opaque',
          stringData: values,
        },
        { fieldManager: FIELD_MANAGER },
      );
      made.push({ name, outcome });
    }
  return made;
}

async function makeNamespace({ cluster, site }: Pick<RunningSite, 'cluster' | 'site'>) {
  await cluster.create(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: site.namespace,
        labels: { 'app.kubernetes.io/managed-by': 'ccp', 'app.kubernetes.io/part-of': site.name },
      },
    },
    { fieldManager: FIELD_MANAGER },
  );
}

function privateKeyIn(file: string, passphrase: string | undefined) {
  if (passphrase !== undefined) registerSecret(passphrase);
  try {
    return createPrivateKey({
      key: readFileSync(file, 'utf8'),
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  } catch {
    // The cause could contain parts of the key.
    throw new CcpError({
      code: 'key-invalid',
      message: `${file} cannot be read as a private key in PKCS#8 form`,
      hint: 'check the file, and its passphrase: --passphrase-file or --passphrase-command',
    });
  }
}
