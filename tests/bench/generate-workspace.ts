import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageName, series, sha256 } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph } from '#graph';
import { writeLock, type DebianPackage } from '#locks';
import { memoryMemo } from '#ports/testing';
import { requestOf } from '../../tools/locks/src/check-locks.ts';

const SERIES = series('2026.1');
const FILES = 10;
const PACKAGES = 60;

/**
 * A workspace of `count` images in layers (each is based on an earlier image, at most 5 deep), each
 * with 10 files (definition, template, lock and 7 context files) and a lock of 60 Debian packages.
 * `tool` is the repository whose npm packages and Nx plugin it uses. The same count gives the same
 * bytes.
 */
export function generateWorkspace(folder: string, count: number, tool: string): void {
  const write = (path: string, text: string): void => {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  write(
    'images/series.yaml',
    `series:\n  "${SERIES}":\n    codename: bench\n    suite: trixie\n    python: "3.13"\n`,
  );
  write('.ccp.yaml', 'origin: archive\n');
  for (const file of ['package.json', 'nx.json', 'tsconfig.base.json'])
    cpSync(join(tool, file), join(folder, file));
  for (const link of ['node_modules', 'tools']) symlinkSync(join(tool, link), join(folder, link));
  const names = Array.from({ length: count }, (_, index) =>
    imageName(`image-${String(index).padStart(4, '0')}`),
  );
  names.forEach((name, index) => {
    const parent = index === 0 ? undefined : names[Math.floor((index - 1) / 6)];
    write(
      `images/${name}/image.yaml`,
      [
        `title: Image ${index}`,
        'description: A generated image.',
        'root: generated',
        ...(parent === undefined ? [] : [`parents: { base: ${parent} }`]),
        'debian:',
        parent === undefined
          ? `  bootstrap: { packages: [package-${index}] }`
          : `  runtime: { on: base, packages: [package-${index}] }`,
        '',
      ].join('\n'),
    );
    write(
      `images/${name}/Dockerfile.njk`,
      parent === undefined
        ? 'FROM scratch\nADD .inputs/seed.tar /\n'
        : 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /opt\n',
    );
    for (let file = 0; file < FILES - 3; file++)
      write(`images/${name}/files/${file}.conf`, `${name} ${file}\n`.repeat(40));
  });
  lockAll(folder);
}

function lockAll(folder: string): void {
  const memo = memoryMemo();
  const workspace = readWorkspace(folder, memo);
  const facts = seriesOf(workspace, SERIES);
  const graph = buildGraph(workspace, SERIES);
  for (const image of graph.order) {
    const definition = graph.images.get(image)!;
    const stage = Object.keys(definition.debian)[0] as string;
    const packages = Array.from({ length: PACKAGES }, (_, index): DebianPackage => {
      const name = `package-${image}-${index}`;
      return {
        name,
        version: '1.0-1',
        architecture: 'amd64',
        sha256: sha256(name),
        size: 1000,
        archive: 'debian',
        pool: `pool/main/p/${name}/${name}_1.0-1_amd64.deb`,
      };
    });
    const request = requestOf(graph, facts, image, memo);
    writeLock(definition, {
      format: 1,
      image,
      series: SERIES,
      request,
      debian: { [stage]: packages },
      python: { runtime: [], build: [] },
      sources: {},
    });
  }
}
