import { parse } from 'yaml';
import { mergeValues, type ChartValues } from '#application';
import { CcpError, isRecord, messageOf } from '#core';
import { readNamed } from '../../state/named-file.ts';

/**
 * The values of `--values FILE` and `--set PATH=VALUE`, the last of which wins. Throws `usage`, and
 * the errors of `fileFault`.
 */
export function givenValues(
  files: readonly string[] = [],
  settings: readonly string[] = [],
): ChartValues {
  const layers = [...files.map(valuesOf), ...settings.map(settingOf)];
  if (layers.length > 0) return layers.reduce(mergeValues);
  throw new CcpError({
    code: 'usage',
    message: 'no values are given',
    hint: 'give --values FILE or --set PATH=VALUE',
  });
}

function valuesOf(file: string): ChartValues {
  let value: unknown;
  try {
    value = parse(readNamed(file, 'write the values of the chart as YAML'), { maxAliasCount: 100 });
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    throw new CcpError({
      code: 'usage',
      message: `${file} is not YAML: ${messageOf(thrown).split('\n')[0]}`,
      hint: 'fix its syntax',
    });
  }
  if (isRecord(value)) return value;
  throw new CcpError({
    code: 'usage',
    message: `${file} is not a mapping of values`,
    hint: 'write keys and values, like `replicas: { api: 2 }`',
  });
}

/** `settings.processes=4` as nested values; the value is read as YAML. */
function settingOf(text: string): ChartValues {
  const at = text.indexOf('=');
  const path = text.slice(0, Math.max(at, 0)).split('.');
  if (at < 1 || path.includes(''))
    throw new CcpError({
      code: 'usage',
      message: `${JSON.stringify(text)} is not a value for --set`,
      hint: 'write PATH=VALUE, like settings.processes=4',
    });
  const given = text.slice(at + 1);
  const scalar: unknown = /^[\w.+-]*$/.test(given) ? parse(given) : given;
  return path.reduceRight<unknown>((value, key) => ({ [key]: value }), scalar) as ChartValues;
}
