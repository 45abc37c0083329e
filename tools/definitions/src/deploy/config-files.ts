import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppSpec } from './app-spec.ts';
import type { ConfigLayer } from './config-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

/** Folder next to an app spec with the files that its configuration refers to. */
export const CONFIG_FOLDER = 'config';

/** A layer as written: with its content, or with the name of a file below `config`. */
type WrittenLayer = Partial<ConfigLayer> & { readonly file?: string };

/** Sorted paths of the files below the folder `config` of an app spec. Links are not followed. */
export function listConfigFiles(folder: string): string[] {
  const root = join(folder, CONFIG_FOLDER);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * The spec with file names replaced by the content of the files. `read` returns the text of a path
 * below `config`, or undefined if the file does not exist. Invalid layers are reported to `found`.
 */
export function readConfigFiles<S extends Pick<AppSpec, 'config' | 'position'>>(
  spec: S,
  read: (path: string) => string | undefined,
  found: Pick<SpecFindings, 'refuse'>,
): S {
  if (spec.config === undefined) return spec;
  const config = Object.entries(spec.config).map(([key, { layers, ...of }]) => {
    const refuse = (index: number, message: string, hint: string): ConfigLayer => {
      found.refuse(['config', key, 'layers', index], message, hint);
      return { content: '' };
    };
    const whole = (layers as readonly WrittenLayer[]).map((layer, index): ConfigLayer => {
      const { file, content, ...rest } = layer;
      if ((file === undefined) === (content === undefined))
        return refuse(
          index,
          `the layer of "${key}" must have either "content" or "file"`,
          'set one of the two',
        );
      if (content !== undefined) return { ...rest, content };
      if (of.format !== 'text')
        return refuse(
          index,
          `"${key}" has format ${of.format}, but "file" requires format text`,
          'write the layer as "content"',
        );
      const text = read(file!);
      return text === undefined
        ? refuse(
            index,
            `"${key}" refers to ${CONFIG_FOLDER}/${file}, which does not exist`,
            `create the file in the folder ${CONFIG_FOLDER} next to the app spec`,
          )
        : { ...rest, content: text };
    });
    return [key, { ...of, layers: whole }] as const;
  });
  return { ...spec, config: Object.fromEntries(config) };
}
