import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pack, type Pack } from 'tar-stream';
import { runProgram } from '../run-program.ts';
import { CONTAINERD_SOCKET, PAUSE_IMAGE } from './containerd.ts';

const START_MS = 30_000;

/**
 * Imports the pause image, built from the program `pause`, into containerd. Waits until containerd
 * responds. `scratch` is a folder for the archive.
 */
export async function importPauseImage(pause: string, scratch: string): Promise<void> {
  const archive = join(scratch, 'pause.tar');
  await writeFile(archive, await pauseArchive(await readFile(pause)));
  const ctr = async (...args: readonly string[]) =>
    await runProgram('ctr', ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...args]);
  for (const until = Date.now() + START_MS; ; await delay(100)) {
    const failure = await ctr('version').then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (failure === undefined) break;
    if (Date.now() > until) throw failure;
  }
  await ctr('images', 'import', archive);
  await rm(archive);
}

/** An archive in the format of `docker save`: one layer with one program. */
async function pauseArchive(program: Uint8Array): Promise<Buffer> {
  const layer = await tarOf(
    (tar) =>
      void tar.entry({ name: 'pause', mode: 0o755, mtime: new Date(0) }, Buffer.from(program)),
  );
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const config = JSON.stringify({
    architecture,
    os: 'linux',
    config: { Entrypoint: ['/pause'], User: '65535:65535' },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
  });
  const [configFile, layerFile] = [`${sha256(config)}.json`, `${sha256(layer)}/layer.tar`];
  return await tarOf((tar) => {
    tar.entry({ name: configFile }, config);
    tar.entry({ name: layerFile }, layer);
    tar.entry(
      { name: 'manifest.json' },
      JSON.stringify([{ Config: configFile, RepoTags: [PAUSE_IMAGE], Layers: [layerFile] }]),
    );
  });
}

async function tarOf(fill: (tar: Pack) => void): Promise<Buffer> {
  const tar = pack();
  fill(tar);
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
