import { lstatSync } from 'node:fs';
import { relative } from 'node:path';
import {
  canonicalJson,
  mapRecord,
  omitUndefined,
  readFault,
  sha256,
  throwFindings,
  type Json,
  type Platform,
  type Sha256,
} from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import type { Memo } from '#ports';
import { checkContextPaths, contextPaths, type ContextPath } from '../templates/context-paths.ts';
import { renderDockerfile, RENDERER_VERSION } from '../templates/render-dockerfile.ts';
import { templateContext, type TemplateInput } from '../templates/template-context.ts';
import {
  MAX_TEMPLATE,
  sharedFolders,
  templatesIn,
  workspaceFolderOf,
  type TemplateHashes,
} from '../templates/template-files.ts';
import type { ImageInputs, SourceOrigin } from '../types.ts';
import { imageLabels } from './image-labels.ts';
import { listFiles } from './list-files.ts';
import { listTree } from './list-tree.ts';
import { listPatches } from './list-patches.ts';
import { sourceIdentity } from './sources.ts';

export interface DescribeRequest extends TemplateInput {
  readonly series: SeriesDefinition;
  readonly platform: Platform;
  readonly origin: SourceOrigin;
  readonly memo: Memo;
  /**
   * Hashes of shared templates in this plan, so that each template is hashed once for all images.
   */
  readonly shared?: SharedTemplates;
}

/**
 * Shared folder -> hashes of its templates; valid for one plan only, since files can change later.
 */
export type SharedTemplates = Map<string, SharedFolder>;

interface SharedFolder {
  readonly hashes: TemplateHashes;
  /** Hash of all `hashes`. */
  readonly sha256: Sha256;
}

/** The hash of a rendered Dockerfile and the context paths that it uses. */
type Rendered = { readonly sha256: Sha256; readonly paths: Json };

/**
 * Every input of an image except its parents. Renderings are stored in `memo` by the hashes of all
 * their inputs, so that an unchanged image does not load the template engine. Raises the errors of
 * `renderDockerfile`, `readFault` and `listFiles`, and the findings of `checkContextPaths`.
 */
export function describeInputs(request: DescribeRequest): ImageInputs {
  const { definition, series, platform, origin, summary, memo } = request;
  const own = hashTemplates(definition.folder, definition, memo);
  const shared = sharedTemplates(definition, request.shared ?? new Map(), memo);
  const dockerfile = memo.recall<Rendered>(`dockerfile ${renderKey(request, own, shared)}`, () => {
    const text = renderDockerfile(
      request,
      new Map([own, ...shared.map(({ hashes }) => hashes)].flatMap((hashes) => [...hashes])),
    );
    return { sha256: sha256(text), paths: contextPaths(definition, text) as unknown as Json };
  });
  const files = listFiles(definition, memo);
  const tree = definition.tree === undefined ? undefined : listTree(definition, memo);
  throwFindings(
    checkContextPaths(dockerfile.paths as unknown as readonly ContextPath[], files, tree),
  );
  return {
    image: definition.name,
    series: series.name,
    platform,
    dockerfile: dockerfile.sha256,
    files,
    debian: summary.debian,
    python: summary.python,
    ...omitUndefined({ tree }),
    ...omitUndefined({ npm: summary.npm }),
    ...(summary.go === undefined ? {} : { go: { files: summary.go.files } }),
    sources: mapRecord(summary.sources, (source, key) =>
      sourceIdentity(source, definition.sources[key]?.submodules ?? [], origin),
    ),
    args: definition.args,
    labels: imageLabels(definition, summary),
    ...patchesOf(request),
    unlocked: definition.unlocked,
    ...(definition.network === 'host' ? { network: 'host' as const } : {}),
  };
}

function patchesOf({ definition, series, memo }: DescribeRequest): Pick<ImageInputs, 'patches'> {
  const patches = listPatches(definition, series.name).map(
    ({ name, path }) => [name, hashOf(path, definition, () => memo.fileSha256(path))] as const,
  );
  return patches.length === 0 ? {} : { patches: Object.fromEntries(patches) };
}

/** Hash of everything a rendering depends on: the renderer, all templates and the values. */
function renderKey(
  request: DescribeRequest,
  own: TemplateHashes,
  shared: readonly SharedFolder[],
): Sha256 {
  return sha256(
    canonicalJson([
      RENDERER_VERSION,
      listed(own, request.definition.folder),
      ...shared.map(({ sha256 }) => sha256),
      templateContext(request),
    ]),
  );
}

function sharedTemplates(
  definition: ImageDefinition,
  known: SharedTemplates,
  memo: Memo,
): readonly SharedFolder[] {
  return sharedFolders(definition).map((folder) => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const hashes = hashTemplates(folder, definition, memo);
    const made = { hashes, sha256: sha256(canonicalJson(listed(hashes, folder))) };
    known.set(folder, made);
    return made;
  });
}

/** Paths relative to `folder` with their hashes. */
function listed(hashes: TemplateHashes, folder: string): string[][] {
  return [...hashes].map(([path, hash]) => [path.slice(folder.length + 1), hash]);
}

function hashTemplates(folder: string, definition: ImageDefinition, memo: Memo): TemplateHashes {
  return new Map(
    templatesIn(folder, definition).map((path) => [
      path,
      hashOf(path, definition, () => templateHash(path, memo)),
    ]),
  );
}

/** Empty if the path is not a regular file or too large; rendering reports the error. */
function templateHash(path: string, memo: Memo): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_TEMPLATE ? memo.fileSha256(path, stat) : '';
}

function hashOf<T extends string>(path: string, definition: ImageDefinition, hash: () => T): T {
  try {
    return hash();
  } catch (thrown) {
    throw readFault(thrown, relative(workspaceFolderOf(definition), path));
  }
}
