import { lstatSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CcpError, omitUndefined, shownPath } from '#core';
import type { Memo } from '#ports';
import { parseOverlay, type ParsedOverlay } from './parse-overlay.ts';
import { readDefinition } from './read-definition.ts';

/** The file that makes a workspace overlay another one. */
const OVERLAY_FILE = 'overlay.yaml';
/** The file that defines the series; required in every workspace without an overlay.yaml. */
export const SERIES_FILE = join('images', 'series.yaml');

/** One workspace in a stack of overlays. */
export interface WorkspaceLayer {
  /** Absolute path. */
  readonly root: string;
  /** Absent in the lowest layer. */
  readonly overlay?: ParsedOverlay;
  /** Name for messages of a path below it: relative to the uppermost workspace. */
  name(...path: readonly string[]): string;
}

/** Limit that stops runaway stacks. */
const MAX_LAYERS = 8;

/**
 * The workspace at the absolute path `root` and the workspaces that it overlays, lowest first.
 * Raises `yaml-invalid`, and `overlay-invalid` if a base is not a workspace or overlays this one.
 */
export function readLayers(
  root: string,
  memo: Memo,
): readonly [...WorkspaceLayer[], WorkspaceLayer] {
  const layers: WorkspaceLayer[] = [];
  const seen = new Set<string>();
  for (let at: string | undefined = root; at !== undefined;) {
    const here: string = at;
    seen.add(here);
    const name = (...path: readonly string[]): string =>
      shownPath(relative(root, join(here, ...path)));
    const overlay = readOverlay(here, name(OVERLAY_FILE), memo);
    layers.unshift({ root: here, name, ...omitUndefined({ overlay }) });
    at = overlay === undefined ? undefined : baseOf(here, overlay, seen);
  }
  return layers as [...WorkspaceLayer[], WorkspaceLayer];
}

/** True if the folder is a workspace. */
export function isWorkspace(folder: string): boolean {
  return [SERIES_FILE, OVERLAY_FILE].some(
    (file) => statSync(join(folder, file), { throwIfNoEntry: false }) !== undefined,
  );
}

function readOverlay(root: string, file: string, memo: Memo): ParsedOverlay | undefined {
  const path = join(root, OVERLAY_FILE);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return readDefinition([{ path, file }], memo, parseOverlay);
}

function baseOf(
  root: string,
  { base, baseAt: at }: ParsedOverlay,
  seen: ReadonlySet<string>,
): string {
  const folder = resolve(root, base);
  const refuse = (message: string, hint: string): never => {
    throw new CcpError({ code: 'overlay-invalid', message, hint, at });
  };
  if (!isWorkspace(folder))
    refuse(
      `base: ${base} is not a workspace`,
      `set base to a folder with ${SERIES_FILE}, relative to this file`,
    );
  if (seen.has(folder))
    refuse(
      `base: ${base} is this workspace or overlays it`,
      'set base to a workspace that does not overlay this one',
    );
  if (seen.size >= MAX_LAYERS)
    refuse(`base: more than ${MAX_LAYERS} workspaces are stacked`, 'merge some of them');
  return folder;
}
