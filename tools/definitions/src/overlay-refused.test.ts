import { expect, it } from 'vitest';
import { memoryMemo } from '#ports/testing';
import { readWorkspace } from './index.ts';
import { errorsOf } from './testing.ts';
import { overlayFolders, SERVICE } from './testing/overlay-folders.ts';

const { write } = overlayFolders();
const errorsIn = (files: Readonly<Record<string, string>>): string =>
  errorsOf(() => readWorkspace(write(files), memoryMemo()));

it.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'an unknown key',
    { 'overlay.yaml': 'base: ../base\nbases: x\n' },
    'overlay.yaml:2:1: unknown key "bases" [did you mean "base"?]',
  ],
  [
    'a base that is not a workspace',
    { 'overlay.yaml': 'base: ../bse\n' },
    'overlay.yaml:1:7: base: ../bse is not a workspace [set base to a folder with images/series.yaml, relative to this file]',
  ],
  [
    'itself as its base',
    { 'overlay.yaml': 'base: .\n' },
    'overlay.yaml:1:7: base: . is this workspace or overlays it [set base to a workspace that does not overlay this one]',
  ],
  [
    'an invalid date',
    {
      'overlay.yaml':
        'base: ../base\nseries:\n  "2026.1": { overrides: [{ requirement: a==1, reason: x, expires: "2099-02-31" }] }\n',
    },
    'overlay.yaml:3:42: the override a==1 expires on 2099-02-31, which is not a date [write the last day on which the override is valid]',
  ],
  [
    'an invalid constraint',
    {
      'images/series.yaml':
        'series: { own: { codename: own, suite: trixie, python: "3.13", constraints: _shared/c.txt } }\n',
      'images/_shared/c.txt': '# upper\na===1.0\nb[x]>=1,<2;python_version>"3"\nnot one\n-r c\n',
    },
    'images/_shared/c.txt:4: "not one" is not a constraint [write PROJECT===VERSION, one per line]',
  ],
  [
    'an unused patch',
    { 'images/service/patches/a.patch': '' },
    'images/service/patches/a.patch is not used [add it to sources.KEY.patches of images/service/overlay.yaml, or remove it]',
  ],
  [
    'an unknown image of a series',
    { 'overlay.yaml': 'base: ../base\nseries:\n  "2026.1": { images: [servce] }\n' },
    'overlay.yaml:3:24: series 2026.1 lists the unknown image "servce" [did you mean "service"?]',
  ],
  [
    'a package of an unknown suite',
    {
      'images/service/overlay.yaml':
        'debian: { runtime: { packages: [{ value: nftables, suites: [trixi] }] } }\n',
    },
    'images/service/overlay.yaml:1:61: no series in images/series.yaml is based on the suite "trixi" [did you mean "trixie"?]',
  ],
  [
    'overrides of an unknown series',
    { 'overlay.yaml': 'base: ../base\nseries:\n  "2026.2": { overrides: [] }\n' },
    'overlay.yaml:3:3: unknown series "2026.2" [did you mean "2026.1"?]',
  ],
  [
    'an override without a reason',
    {
      'overlay.yaml':
        'base: ../base\nseries:\n  "2026.1": { overrides: [{ requirement: a==1, expires: "2026-12-31" }] }\n',
    },
    'overlay.yaml:3:27: the key "reason" is missing in series.2026.1.overrides[0]',
  ],
  [
    'a series of the base',
    {
      'images/series.yaml': 'series:\n  "2026.1": { codename: x, suite: trixie, python: "3.13" }\n',
    },
    'images/series.yaml:2:3: the series 2026.1 already exists in the base (../base/images/series.yaml:2:3) [choose another name, or add overrides to the series in overlay.yaml]',
  ],
  [
    'an overlay of an unknown image',
    { 'images/servce/overlay.yaml': 'budget: 1GB\n' },
    'images/servce: the base has no image servce [did you mean "service"? a new image needs image.yaml]',
  ],
  [
    'an image of the base',
    { 'images/service/image.yaml': SERVICE },
    'images/service/image.yaml: the image service already exists in the base [write the changes to overlay.yaml, or choose another name]',
  ],
  [
    'a template next to an overlay',
    { 'images/service/overlay.yaml': 'budget: 1GB\n', 'images/service/Dockerfile.njk': '' },
    'images/service/Dockerfile.njk is not used: the image is defined in the base [the folder can contain overlay.yaml, patches, lock, app.yaml, config]',
  ],
  [
    'an overlay next to a definition',
    {
      'images/own/image.yaml': 'title: X\ndescription: X.\nroot: y\n',
      'images/own/overlay.yaml': 'budget: 10MB\n',
    },
    'images/own/overlay.yaml is not used: image.yaml in the same folder defines the image [move its content to image.yaml]',
  ],
  [
    'two overrides of one project',
    {
      'overlay.yaml':
        'base: ../base\nseries:\n  "2026.1":\n    overrides:\n      - { requirement: a-b==1, reason: x, expires: "2099-01-01" }\n      - { requirement: A_B==2, reason: x, expires: "2099-01-01" }\n',
    },
    'overlay.yaml:6:24: A_B==2 overrides the same project as a-b==1 [keep one of them]',
  ],
  [
    'an added image without a definition',
    { 'images/own/Dockerfile.njk': '' },
    'images/own/image.yaml is missing [create the file, or start the name of the folder with _ if it contains shared files]',
  ],
  [
    'an added image with an unknown key',
    { 'images/own/image.yaml': 'title: X\ndescription: X.\nroot: y\nparent: {}\n' },
    'images/own/image.yaml:4:1: unknown key "parent" [did you mean "parents"?]',
  ],
  [
    'a key that an overlay cannot change',
    { 'images/service/overlay.yaml': 'parents: { base: base }\n' },
    'images/service/overlay.yaml:1:1: unknown key "parents" [known keys: sources, debian, python, go, series, labels, args, budget, tests]',
  ],
  [
    'an unknown stage',
    { 'images/service/overlay.yaml': 'debian: { runtme: { packages: [nftables] } }\n' },
    'images/service/overlay.yaml:1:11: the image has no Debian stage "runtme" [did you mean "runtime"?]',
  ],
  [
    'an invalid package name',
    { 'images/service/overlay.yaml': 'debian: { runtime: { packages: [--yes] } }\n' },
    'images/service/overlay.yaml:1:33: debian.runtime.packages[0] must be the name of a Debian package, not "--yes"',
  ],
  [
    'a package of the base',
    { 'images/service/overlay.yaml': 'debian: { runtime: { packages: [adduser] } }\n' },
    'images/service/overlay.yaml:1:33: debian.runtime.packages of the base already contains adduser [remove the entry from the overlay]',
  ],
  [
    'a requirement with a URL',
    { 'images/service/overlay.yaml': 'python: { packages: ["x @ https://x.example/x"] }\n' },
    'images/service/overlay.yaml:1:22: python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "x @ https://x.example/x"',
  ],
  [
    'Python for an image without',
    { 'images/base/overlay.yaml': 'python: { packages: [x] }\n' },
    'images/base/overlay.yaml:1:1: the base image has no key "python" [create a new image with this one as its parent]',
  ],
  [
    'Go modules for an image without',
    { 'images/base/overlay.yaml': 'go: { modules: [x.test/a@v1] }\n' },
    'images/base/overlay.yaml:1:1: the base image has no key "go" [create a new image with this one as its parent]',
  ],
  [
    'a ref of an unknown series',
    { 'images/service/overlay.yaml': 'sources: { service: { refs: { "2026.2": 1 } } }\n' },
    'images/service/overlay.yaml:1:41: sources.service.refs.2026.2 must be text, not the number 1 [put it in quotes: "1"]',
  ],
  [
    'an unknown source',
    { 'images/service/overlay.yaml': 'sources: { servce: { patches: [a.patch] } }\n' },
    'images/service/overlay.yaml:1:12: the image has no source "servce" [did you mean "service"?]',
  ],
  [
    'a patch that is missing',
    { 'images/service/overlay.yaml': 'sources: { service: { patches: [a.patch] } }\n' },
    'images/service/overlay.yaml:1:33: the patch images/service/patches/a.patch is missing [create the file, or remove it from patches]',
  ],
  [
    'a patch without a hunk',
    {
      'images/service/overlay.yaml': 'sources: { service: { patches: [a.patch] } }\n',
      'images/service/patches/a.patch': '--- a/x\n+++ b/x\n',
    },
    'images/service/overlay.yaml:1:33: the patch images/service/patches/a.patch has no hunk, so it changes nothing [create it again with diff -u or git diff]',
  ],
  [
    'a patch from elsewhere',
    { 'images/service/overlay.yaml': 'sources: { service: { patches: [../a.patch] } }\n' },
    'images/service/overlay.yaml:1:33: sources.service.patches[0] must be the name of a .patch or .diff file in patches/, not "../a.patch"',
  ],
  [
    'a series although the image has all',
    { 'images/service/overlay.yaml': 'series: ["2026.1"]\n' },
    'images/service/overlay.yaml:1:1: the image exists in every series already [remove "series" from the overlay]',
  ],
  [
    'nothing',
    { 'images/service/overlay.yaml': '{}\n' },
    'images/service/overlay.yaml:1:1: the file must not be empty',
  ],
])('refuses an overlay with %s', (_, files, error) => {
  expect(
    errorsIn(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`site/${path}`, text])),
    ),
  ).toBe(error);
});
