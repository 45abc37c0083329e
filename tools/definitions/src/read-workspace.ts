import { lstatSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CcpError, findingsIn, reading, throwFindings } from '#core';
import { readDiff } from '#formats';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { listImages, type ImagePlace } from './image-folders.ts';
import { parseImage, type ParsedImage } from './parse-image.ts';
import { readDefinition, type DefinitionFile } from './read-definition.ts';
import { readSeries } from './read-series.ts';
import type { ImageDefinition, ImageLayers, SourceDefinition, Workspace } from './types.ts';
import { readLayers, type WorkspaceLayer } from './workspace-layers.ts';
import { checkSeries, checkUsers } from './workspace-rules.ts';

const IMAGE_NEED =
  'create the file, or start the name of the folder with _ if it contains shared files';

/**
 * Reads images/series.yaml and every images/<name>/image.yaml below `root`, sorted by name. If
 * `root` has an overlay.yaml, the workspaces below it are read too and its changes are applied.
 * Parsed files are stored in `memo`, so unchanged files are not read again. Raises
 * `workspace-missing`, or together all findings of `readLayers`, `readSeries`, `listImages`,
 * `readDefinition` and `parseImage`, and `definition-missing` and `definition-invalid` for patches.
 */
export function readWorkspace(root: string, memo: Memo): Workspace {
  const findings: CcpError[] = [];
  const layers = readLayers(resolve(root), memo);
  const own = layers.at(-1)!;
  const series = collect(findings, () => readSeries(layers, memo));
  // All other files have them too.
  if (findings.some(({ code }) => code === 'definition-line-endings')) throwFindings(findings);
  const places = listImages(layers, (finding) => findings.push(finding));
  const parsed = places.flatMap((place) => {
    const image = collect(findings, () =>
      readDefinition(filesOf(place, layers), memo, (texts) => parseImage(place.name, texts)),
    );
    return image === undefined ? [] : [{ place, image }];
  });
  const images = parsed.map(({ image }) => image);
  if (series !== undefined) findings.push(...checkSeries(images, series));
  findings.push(
    ...checkUsers(images),
    ...checkPatches(images, own.root, memo),
    ...unusedPatches(parsed, layers),
  );
  throwFindings(findings);
  const bases = layers.slice(0, -1).map((layer) => layer.root);
  return {
    root: own.root,
    ...(bases.length === 0 ? {} : { bases: bases.reverse() }),
    series: series!,
    images: parsed.map(({ place, image }) => locate(place, image, layers)),
  };
}

function filesOf(
  { name, layer, overlays }: ImagePlace,
  layers: readonly WorkspaceLayer[],
): readonly [DefinitionFile, ...DefinitionFile[]] {
  const fileOf = (index: number, part: string): DefinitionFile => {
    const { root, name: file } = layers[index]!;
    return { path: `${root}/images/${name}/${part}`, file: file('images', name, part) };
  };
  return [
    { ...fileOf(layer, 'image.yaml'), need: IMAGE_NEED },
    ...overlays.map((index) => fileOf(index, 'overlay.yaml')),
  ];
}

/** The definition with its folder and layers. */
function locate(
  { name, layer }: ImagePlace,
  { definition }: ParsedImage,
  layers: readonly WorkspaceLayer[],
): ImageDefinition {
  const folder = `${layers[layer]!.root}/images/${name}`;
  const patched = Object.values(definition.sources).some(({ patches }) => patches !== undefined);
  if (layers.length === 1 && !patched) return { ...definition, folder };
  const { root } = layers.at(-1)!;
  const sources = patched ? { sources: mapPatches(definition.sources, root) } : {};
  if (layers.length === 1) return { ...definition, ...sources, folder };
  const places: ImageLayers = {
    root,
    locks: layers
      .slice(layer)
      .map((each) => `${each.root}/images/${name}/lock`)
      .reverse(),
    shared: layers
      .slice(0, layer + 1)
      .map((each) => `${each.root}/images/_shared`)
      .reverse(),
  };
  return { ...definition, ...sources, folder, layers: places };
}

function mapPatches(
  sources: ImageDefinition['sources'],
  root: string,
): Record<string, SourceDefinition> {
  return Object.fromEntries(
    Object.entries(sources).map(([key, { patches, ...source }]) => [
      key,
      patches === undefined
        ? source
        : {
            ...source,
            patches: patches.map((patch) => ({ ...patch, path: resolve(root, patch.path) })),
          },
    ]),
  );
}

function checkPatches(images: readonly ParsedImage[], root: string, memo: Memo): CcpError[] {
  const patches = images.flatMap(({ definition }) =>
    Object.values(definition.sources).flatMap(({ patches = [] }) => patches),
  );
  return patches.flatMap(({ path, at }) => {
    const file = resolve(root, path);
    const name = relative(root, file);
    const stat = reading(name, () => lstatSync(file, { throwIfNoEntry: false }));
    if (stat?.isFile() !== true) {
      const message = `the patch ${name} is ${stat === undefined ? 'missing' : 'not a regular file'}`;
      return [
        new CcpError({
          code: 'definition-missing',
          message,
          hint:
            stat === undefined
              ? 'create the file, or remove it from patches'
              : 'replace it with a regular file',
          at,
        }),
      ];
    }
    const hash = reading(name, () => memo.fileSha256(file));
    const flaw = memo.recall(
      `patch flaw:1:${hash}`,
      () => readDiff(readUnchanged(file, hash, name).toString('latin1')).flaw ?? null,
    );
    if (flaw === null) return [];
    return [
      new CcpError({
        code: 'definition-invalid',
        message: `the patch ${name} ${flaw}`,
        hint: 'create it again with diff -u or git diff',
        at,
      }),
    ];
  });
}

/** Findings for patch files of overlays that no source lists. */
function unusedPatches(
  parsed: readonly { readonly place: ImagePlace; readonly image: ParsedImage }[],
  layers: readonly WorkspaceLayer[],
): CcpError[] {
  return parsed.flatMap(({ place, image }) => {
    const named = new Set(
      Object.values(image.definition.sources).flatMap(({ patches = [] }) =>
        patches.map(({ path }) => path),
      ),
    );
    return place.patches.flatMap((index) => {
      const { root, name: file } = layers[index]!;
      const folder = file('images', place.name, 'patches');
      const files = reading(folder, () => readdirSync(join(root, 'images', place.name, 'patches')))
        .filter((name) => /\.(?:patch|diff)$/.test(name))
        .map((name) => file('images', place.name, 'patches', name));
      const hint = `add it to sources.KEY.patches of ${file('images', place.name, index === place.layer ? 'image.yaml' : 'overlay.yaml')}, or remove it`;
      return files
        .filter((each) => !named.has(each))
        .map(
          (each) =>
            new CcpError({
              code: 'overlay-invalid',
              message: `${each} is not used`,
              hint,
              at: { file: each },
            }),
        );
    });
  });
}

function collect<T>(findings: CcpError[], read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    findings.push(...findingsIn(thrown));
    return undefined;
  }
}
