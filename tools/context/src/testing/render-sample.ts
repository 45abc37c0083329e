import { CcpError, CcpErrors, formatPosition } from '#core';
import type { ImageDefinition } from '#definitions';
import { renderDockerfile } from '../templates/render-dockerfile.ts';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from './image-folder.ts';

/** A Dockerfile's first lines, which every image needs. */
export const DOCKERFILE_START = 'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n';

/** The Dockerfile of an image with this template and these files below images/. */
export function renderSample(
  template: string,
  shared: Readonly<Record<string, string>> = {},
  changes: Partial<ImageDefinition> = {},
): string {
  const definition = sampleImage({ 'sample/Dockerfile.njk': template, ...shared }, changes);
  return renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY });
}

/** Every finding of a call as `place: message [hint]`. */
export function templateFindings(body: () => unknown): string[] {
  try {
    body();
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    const all = thrown instanceof CcpErrors ? thrown.findings : [thrown];
    return all.map(
      (finding) =>
        `${finding.at === undefined ? '' : formatPosition(finding.at)}: ${finding.message}${finding.hint === undefined ? '' : ` [${finding.hint}]`}`,
    );
  }
  return [];
}

/** The template's name in messages. */
export const SAMPLE_TEMPLATE = 'images/sample/Dockerfile.njk';
