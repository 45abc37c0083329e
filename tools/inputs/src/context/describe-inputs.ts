import { lstatSync, type Stats } from 'node:fs';
import { canonicalJson, CcpError, codeOf, sha256, type Platform, type Sha256 } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { Memo } from '#ports';
import { renderDockerfile, RENDERER } from '../templates/render-dockerfile.ts';
import { templateContext, type TemplateInput } from '../templates/template-context.ts';
import { sharedFolders, templatesIn } from '../templates/template-files.ts';
import type { ImageInputs, Origin } from '../types.ts';
import { imageLabels } from './image-labels.ts';
import { listFiles } from './list-files.ts';
import { listTree } from './list-tree.ts';
import { listPatches } from './list-patches.ts';
import { sourceIdentity } from './sources.ts';

export interface DescribeRequest extends TemplateInput {
  readonly series: SeriesDefinition;
  readonly platform: Platform;
  readonly origin: Origin;
  readonly memo: Memo;
}

/**
 * Every input of an image but its parents. A rendering is remembered by all it depends on, so a run in which nothing changed
 * loads no template engine. Raises what `renderDockerfile` and `listFiles` raise.
 */
export function describeInputs(request: DescribeRequest): ImageInputs {
  const { definition, series, platform, origin, summary, memo } = request;
  return {
    image: definition.name,
    series: series.name,
    platform,
    dockerfile: memo.recall<Sha256>(`dockerfile ${renderKey(request)}`, () => sha256(renderDockerfile(request))),
    files: listFiles(definition, memo),
    debian: summary.debian,
    python: summary.python,
    ...(definition.tree === undefined ? {} : { tree: listTree(definition, memo) }),
    ...(summary.npm === undefined ? {} : { npm: summary.npm }),
    ...(summary.go === undefined ? {} : { go: { files: summary.go.files } }),
    sources: Object.fromEntries(
      Object.entries(summary.sources).map(([key, source]) => [key, sourceIdentity(source, definition.sources[key]?.submodules ?? [], origin)]),
    ),
    args: definition.args,
    labels: imageLabels(definition, summary),
    ...patchesOf(request),
    unlocked: definition.unlocked,
  };
}

function patchesOf({ definition, series, memo }: DescribeRequest): Pick<ImageInputs, 'patches'> {
  const patches = listPatches(definition, series.name).map(({ name, path }) => [name, fileHash(path, memo)] as const);
  return patches.length === 0 ? {} : { patches: Object.fromEntries(patches) };
}

/** Names everything a rendering depends on: the renderer, the template, templates it may import, and the values. */
function renderKey(request: DescribeRequest): Sha256 {
  const { definition, memo } = request;
  const own = hashesOf(templatesIn(definition.folder), definition.folder, memo);
  const shared = sharedFolders(definition).map((folder) => sharedHashes(folder, memo));
  return sha256(canonicalJson([RENDERER, own, ...shared, templateContext(request)]));
}

const sharedByMemo = new WeakMap<Memo, Map<string, Sha256>>();

/** One hash of all templates of a shared folder, made once per memo, so once per run. */
function sharedHashes(folder: string, memo: Memo): Sha256 {
  const known = sharedByMemo.get(memo) ?? new Map<string, Sha256>();
  sharedByMemo.set(memo, known);
  let hash = known.get(folder);
  if (hash === undefined) {
    hash = sha256(canonicalJson(hashesOf(templatesIn(folder), folder, memo)));
    known.set(folder, hash);
  }
  return hash;
}

function hashesOf(templates: readonly string[], folder: string, memo: Memo): string[][] {
  return templates.map((path) => [path.slice(folder.length + 1), templateHash(path, memo)]);
}

/** Empty for what is not a regular file; rendering says so. */
function templateHash(path: string, memo: Memo): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? fileHash(path, memo, stat) : '';
}

function fileHash(path: string, memo: Memo, stat?: Stats): Sha256 {
  try {
    return memo.fileSha256(path, stat);
  } catch (cause) {
    throw new CcpError({ code: 'file-changed', message: `${path} cannot be read: ${codeOf(cause) ?? String(cause)}`, at: { file: path }, cause });
  }
}
