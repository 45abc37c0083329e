import { lstatSync, type Stats } from 'node:fs';
import { canonicalJson, CcpError, codeOf, sha256, throwFindings, type Json, type Platform, type Sha256 } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { Memo } from '#ports';
import { checkContextPaths, contextPaths, type ContextPath } from '../templates/context-paths.ts';
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

/** A rendered Dockerfile's hash, and what it takes of the context. */
type Rendered = { readonly sha256: Sha256; readonly paths: Json };

/**
 * Every input of an image but its parents. A rendering is remembered by all it depends on, so a run in which nothing changed
 * loads no template engine. Raises what `renderDockerfile` and `listFiles` raise, and what `checkContextPaths` finds.
 */
export function describeInputs(request: DescribeRequest): ImageInputs {
  const { definition, series, platform, origin, summary, memo } = request;
  const dockerfile = memo.recall<Rendered>(`dockerfile ${renderKey(request)}`, () => {
    const text = renderDockerfile(request);
    return { sha256: sha256(text), paths: contextPaths(definition, text) as unknown as Json };
  });
  const files = listFiles(definition, memo);
  const tree = definition.tree === undefined ? undefined : listTree(definition, memo);
  throwFindings(checkContextPaths(dockerfile.paths as unknown as readonly ContextPath[], files, tree));
  return {
    image: definition.name,
    series: series.name,
    platform,
    dockerfile: dockerfile.sha256,
    files,
    debian: summary.debian,
    python: summary.python,
    ...(tree === undefined ? {} : { tree }),
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
