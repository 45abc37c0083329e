import { createHash, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CcpError } from '#core';
import { parameterFault } from '#definitions/deploy';
import { failureLines, findAction, parseSealedKeys, readNewest, runAction } from '#rollout';
import type { Signer } from '#release';
import { parseParameters } from '#site';
import { backupFiles, nameInFolder, parseManifest, type Manifest } from './backup-folder.ts';
import type { RunningSite } from './open-site.ts';
import { signBackup } from './sign-backup.ts';
import { withTransfer } from './transfer-backup.ts';

/** An exported backup. */
export interface ExportedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Apps whose keys are in it. */
  readonly keys: readonly string[];
}

/**
 * Copies a backup of an app to `parent`/NAME.TIME, with the keys of all apps that have the action
 * `export-keys`, encrypted to a public key in PEM form. The folder gets its name when it is
 * complete.
 */
export async function exportBackup(
  running: RunningSite,
  {
    app,
    backup,
    parent,
    publicKey,
    signer,
  }: {
    readonly app: string;
    readonly backup: string;
    readonly parent: string;
    /** File. */
    readonly publicKey: string;
    /** Signs all files. */
    readonly signer: Signer | undefined;
  },
): Promise<ExportedBackup> {
  const key = publicKeyIn(publicKey);
  const part = join(resolve(parent), `.new-${nameInFolder(backup)}`);
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o700 });
  try {
    const keys = await exportKeys(running, key, part);
    const { name, manifest } = await copyBackup(running, app, backup, part);
    if (signer !== undefined) await signBackup(part, { site: running.site.name, name }, signer);
    const folder = join(resolve(parent), name);
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
    return { folder, manifest, keys };
  } catch (thrown) {
    rmSync(part, { recursive: true, force: true });
    throw thrown;
  }
}

/** Copies the files of a backup to a folder, and checks the dump. */
async function copyBackup(
  running: RunningSite,
  app: string,
  backup: string,
  part: string,
): Promise<{ readonly name: string; readonly manifest: Manifest }> {
  return await withTransfer(running, app, backup, async (program) => {
    const full = nameInFolder((await program(['name'])).trim());
    const read = parseManifest(await program(['send', 'manifest.json']), full);
    await writeFile(join(part, 'manifest.json'), read.text, { mode: 0o600 });
    await writeFile(join(part, 'tables'), await program(['send', 'tables']), { mode: 0o600 });
    const file = await open(join(part, 'dump.sql.gz'), 'w', 0o600);
    const hash = createHash('sha256');
    try {
      await program(['send', 'dump.sql.gz'], {
        output: async (bytes) => {
          hash.update(bytes);
          await file.writeFile(bytes);
        },
      });
      await file.sync();
    } finally {
      await file.close();
    }
    if (hash.digest('hex') !== read.manifest.sha256)
      throw new CcpError({
        code: 'backup-invalid',
        message: `the dump of ${full} was damaged during the transfer: its SHA-256 differs from its manifest`,
        hint: 'export the backup again',
      });
    return { name: full, manifest: read.manifest };
  });
}

/** Base64 of the DER form of a public key on P-256. Throws `key-invalid`. */
function publicKeyIn(file: string): string {
  try {
    const key = createPublicKey(readFileSync(file));
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1' && !isPrivate(file))
      return key.export({ type: 'spki', format: 'der' }).toString('base64');
  } catch {
    // The error below describes the required file.
  }
  throw new CcpError({
    code: 'key-invalid',
    message: `${file} ${existsSync(file) ? 'is not a public key on P-256' : 'does not exist'}`,
    hint: 'make one with `ccp keygen --type p256 FILE`, and keep FILE out of the cluster and of the repository',
  });
}

const isPrivate = (file: string): boolean => readFileSync(file, 'utf8').includes('PRIVATE KEY');

async function exportKeys(
  { cluster, site, engine }: RunningSite,
  key: string,
  part: string,
): Promise<string[]> {
  const { rendered } = await readNewest(cluster, site);
  const apps: string[] = [];
  for (const { id } of rendered.actions.filter((each) => each.id.endsWith('/export-keys'))) {
    const { action, revision } = await findAction(cluster, site, id);
    const parameters = parseParameters(action, [`key=${key}`], parameterFault);
    const { log, failure } = await runAction(
      cluster,
      site,
      { action, parameters, revision },
      engine,
    );
    if (failure !== undefined)
      throw new CcpError({
        code: 'cluster-failed',
        message: `${id} failed: ${failureLines(failure, []).join('\n')}`,
        hint: 'fix the cause and run the command again; nothing was exported',
      });
    const sealed = parseSealedKeys(log, `the output of ${id}`);
    await writeFile(
      join(part, backupFiles.keys(nameInFolder(sealed.app))),
      `${JSON.stringify(sealed)}\n`,
      {
        mode: 0o600,
      },
    );
    apps.push(sealed.app);
  }
  return apps;
}
