import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryMemo } from '#ports/testing';
import { readAppSpecs } from './deploy/index.ts';
import { forSeries, readWorkspace, seriesOf } from './index.ts';
import { overlayFolders } from './testing/overlay-folders.ts';

const FIXTURE = join(import.meta.dirname, '../../../tests/fixtures/overlay');

const { write, folder } = overlayFolders();

describe('a workspace that overlays another', () => {
  it('equals its base without changes', () => {
    const root = write();
    const { images, bases } = readWorkspace(root, memoryMemo());
    expect(bases).toEqual([join(root, '../base')]);
    expect(
      images.map(({ name, folder, layers, overlaid }) => [name, folder, layers?.locks, overlaid]),
    ).toEqual(
      ['base', 'service'].map((name) => [
        name,
        join(root, `../base/images/${name}`),
        [join(root, `images/${name}/lock`), join(root, `../base/images/${name}/lock`)],
        undefined,
      ]),
    );
  });

  it('appends to lists, merges maps and replaces single values, with positions', () => {
    const root = write({
      'site/images/service/overlay.yaml':
        'sources: { service: { refs: { own: 1.0.1 }, patches: [a.patch] } }\ndebian: { runtime: { packages: [nftables] } }\npython: { packages: [two] }\nlabels: { org.example.site: b }\nbudget: 1GB\n',
      'site/images/service/patches/a.patch': '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n',
      'site/images/series.yaml':
        'series: { own: { codename: own, suite: trixie, python: "3.13" } }\n',
    });
    const workspace = readWorkspace(root, memoryMemo());
    const service = workspace.images.find(({ name }) => name === 'service')!;
    expect(service.sources['service']).toEqual({
      repository: 'https://git.example/service',
      refs: { '2026.1': '1.0.0', own: '1.0.1' },
      submodules: [],
      patches: [
        {
          value: 'a.patch',
          path: join(root, 'images/service/patches/a.patch'),
          at: { file: 'images/service/overlay.yaml', line: 1, column: 55 },
        },
      ],
    });
    expect(
      [service.debian['runtime']!.packages, service.python!.packages].map((items) =>
        forSeries(items, seriesOf(workspace, 'own')),
      ),
    ).toEqual([
      ['adduser', 'nftables'],
      ['one', 'two'],
    ]);
    expect([service.labels, service.sizeBudget]).toEqual([
      { 'org.example.team': 'a', 'org.example.site': 'b' },
      1_000_000_000,
    ]);
    expect(
      service.overlaid?.map(({ key, value, at }) => `${key}: ${value} ${at.file}:${at.line}`),
    ).toEqual([
      'sources.service.refs.own: 1.0.1 images/service/overlay.yaml:1',
      'sources.service.patches: a.patch images/service/overlay.yaml:1',
      'debian.runtime.packages: nftables images/service/overlay.yaml:2',
      'python.packages: two images/service/overlay.yaml:3',
      'labels.org.example.site: b images/service/overlay.yaml:4',
      'budget: 1GB images/service/overlay.yaml:5',
    ]);
    expect(service.positions.definition.file).toBe('../base/images/service/image.yaml');
    expect(workspace.series.map(({ name }) => name)).toEqual(['2026.1', 'own']);
  });

  it('replaces the version of a Go module', () => {
    const root = write({
      'base/images/exporter/image.yaml':
        'title: E\ndescription: E.\nroot: a test\nparents: { builder: base }\ngo: { modules: [x.test/a@v1.0.0, x.test/b@v1], programs: { a: x.test/a } }\n',
      'site/images/exporter/overlay.yaml':
        'go: { modules: [x.test/net@v1.2.0, x.test/a@v1.0.1], programs: { tool: x.test/a/tool } }\n',
    });
    const exporter = readWorkspace(root, memoryMemo()).images.find(
      ({ name }) => name === 'exporter',
    )!;
    expect(exporter.go).toEqual({
      modules: ['x.test/a@v1.0.1', 'x.test/b@v1', 'x.test/net@v1.2.0'],
      programs: { a: 'x.test/a', tool: 'x.test/a/tool' },
      packages: [],
    });
    expect(exporter.overlaid?.map(({ key, value }) => `${key}: ${value}`)).toEqual([
      'go.modules: x.test/net@v1.2.0',
      'go.modules: x.test/a@v1.0.1',
      'go.programs.tool: x.test/a/tool',
    ]);
  });

  it('can be overlaid itself, the nearest workspace last', () => {
    const root = write({
      'site/images/service/overlay.yaml': 'budget: 1GB\n',
      'top/overlay.yaml': 'base: ../site\n',
      'top/images/service/overlay.yaml': 'budget: 2GB\n',
    });
    const { images, bases } = readWorkspace(join(root, '../top'), memoryMemo());
    expect(bases).toEqual([root, join(root, '../base')]);
    expect(images[1]).toMatchObject({
      sizeBudget: 2_000_000_000,
      overlaid: [
        { at: { file: '../site/images/service/overlay.yaml' } },
        { at: { file: 'images/service/overlay.yaml' } },
      ],
    });
  });

  it('replaces overrides of the base by project', () => {
    const override = (requirement: string) =>
      `{ requirement: ${requirement}, reason: a test, expires: "2026-12-31" }`;
    const root = write({
      'base/images/series.yaml': `series: { "2026.1": { codename: x, suite: trixie, python: "3.13", overrides: [${override('A.b==1')}, ${override('c==1')}] } }\n`,
      'site/overlay.yaml': `base: ../base\nseries: { "2026.1": { overrides: [${override('a-b==2')}] } }\n`,
    });
    expect(
      seriesOf(readWorkspace(root, memoryMemo()), '2026.1').overrides.map(
        ({ requirement, at }) => `${requirement} ${at!.file}`,
      ),
    ).toEqual(['c==1 ../base/images/series.yaml', 'a-b==2 overlay.yaml']);
  });

  it('lists the images of a series', () => {
    const root = write({
      'site/overlay.yaml': 'base: ../base\nseries:\n  "2026.1": { images: [service] }\n',
    });
    expect(seriesOf(readWorkspace(root, memoryMemo()), '2026.1').images).toEqual([
      { name: 'service', at: { file: 'overlay.yaml', line: 3, column: 24 } },
    ]);
  });

  it('includes app specs of the base', () => {
    const site = folder();
    cpSync(FIXTURE, site, { recursive: true });
    writeFileSync(join(site, 'overlay.yaml'), `base: ${join(FIXTURE, '../../..')}\n`);
    expect([...readAppSpecs(site).keys()]).toContain('keystone');
  });
});
