import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { DebianPackage } from '#locks';
import { parseSha256 } from '#core';
import { writeTar, type TarEntry } from '#formats/tar';
import { arArchive } from '../../../tools/fetch/src/testing/sample-deb.ts';
import type { MirrorPackage } from './debian-mirror.ts';

export interface TestPackage extends MirrorPackage {
  readonly locked: DebianPackage;
}

interface TestPackageParts {
  readonly source?: string;
  /** Further fields of the control file. */
  readonly fields?: readonly string[];
  /** Path -> content of executable files. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** A package of the architecture amd64 with programs that are scripts. */
export async function testPackage(
  name: string,
  version: string,
  { source = name, fields = [], programs = {} }: TestPackageParts = {},
): Promise<TestPackage> {
  const control = [
    `Package: ${name}`,
    ...(source === name ? [] : [`Source: ${source}`]),
    `Version: ${version}`,
    'Architecture: amd64',
    'Maintainer: Test <test@example.org>',
    ...fields,
    'Description: a package of a test',
    ' with a second line.',
  ].join('\n');
  const deb = arArchive({
    'debian-binary': Buffer.from('2.0\n'),
    'control.tar.gz': gzipSync(await tarOf({ './control': `${control}\n` }, 0o644)),
    'data.tar.gz': gzipSync(await tarOf(programs, 0o755)),
  });
  const pool = `pool/main/${source[0]}/${source}/${name}_${version.replace(/^\d+:/, '')}_amd64.deb`;
  const hash = createHash('sha256').update(deb).digest('hex');
  return {
    pool,
    stanza: `${control}\nFilename: ${pool}\nSize: ${deb.length}\nSHA256: ${hash}`,
    read: async () => deb,
    locked: {
      name,
      version,
      architecture: 'amd64',
      sha256: parseSha256(hash),
      size: deb.length,
      archive: 'debian',
      pool,
    },
  };
}

async function tarOf(files: Readonly<Record<string, string>>, mode: number): Promise<Buffer> {
  const entries = Object.entries(files).map(([path, text]): TarEntry => ({
    header: {
      path,
      type: 'file',
      mode,
      uid: 0,
      gid: 0,
      size: Buffer.byteLength(text),
      mtime: 0,
    },
    data: [Buffer.from(text)],
  }));
  return Buffer.concat(await Array.fromAsync(writeTar(entries)));
}
