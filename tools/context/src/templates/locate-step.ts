import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Position } from '#core';
import type { ImageDefinition } from '#definitions';
import { parseDockerfile, type Instruction } from './dockerfile-instructions.ts';
import { locateLine } from './locate-line.ts';
import {
  sharedFolders,
  templatesIn,
  workspaceFolderOf,
  type TemplateFile,
} from './template-files.ts';

/**
 * The template line that most likely produced a build step, by the engine's name for the step:
 * `[2/2] RUN make`. Lines of the image's own template are preferred over shared macros. Undefined
 * if no line matches or templates cannot be read.
 */
export function locateStep(
  definition: ImageDefinition,
  dockerfile: string,
  step: string,
): Position | undefined {
  const wanted = plain(step.replace(/^\[[^\]]*\]/, ''));
  const { instructions } = parseDockerfile(dockerfile);
  const index = instructions.findIndex(
    ({ keyword, flags, rest }) => plain([keyword, ...flags, rest].join(' ')) === wanted,
  );
  return index < 0 ? undefined : locateInstruction(definition, dockerfile, instructions, index);
}

/** Like `locateStep`, for an instruction of a rendered Dockerfile. */
export function locateInstruction(
  definition: ImageDefinition,
  dockerfile: string,
  instructions: readonly Instruction[],
  index: number,
): Position | undefined {
  const written = dockerfile
    .split('\n')
    .slice(instructions[index]!.line - 1, (instructions[index + 1]?.line ?? Infinity) - 1)
    .filter((line) => line.trim() !== '');
  const root = workspaceFolderOf(definition);
  const read = (folder: string): readonly TemplateFile[] =>
    readable(() => templatesIn(folder, definition)).flatMap((path) =>
      readable(() => [{ path, file: relative(root, path), text: readFileSync(path, 'utf8') }]),
    );
  const own = read(definition.folder);
  return (
    equalLine(written, own) ??
    locateLine(written[0]!, own) ??
    locateLine(written[0]!, sharedFolders(definition).flatMap(read))
  );
}

/**
 * The result of `read`, or an empty list: a failure to locate a step must not hide the step's own
 * failure.
 */
function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function equalLine(
  written: readonly string[],
  templates: readonly TemplateFile[],
): Position | undefined {
  for (const { file, text } of templates) {
    const lines = text.split('\n');
    const at = written.map((line) => lines.indexOf(line)).find((index) => index >= 0);
    if (at !== undefined) return { file, line: at + 1 };
  }
  return undefined;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
