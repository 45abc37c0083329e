import { basename } from 'node:path';
import { counted, omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { EXIT } from '../../report/exit-codes.ts';

/** `ccp application check TARBALL`: the rules of StarlingX, for any application. */
export const check: CommandDefinition = {
  usage: 'check <tarball>',
  description: 'check a tarball by the rules of StarlingX, without StarlingX',
  examples: ['ccp application check example-2026.1-0.tgz'],
  run: async ({ output }, [file = '']) => {
    const { checkApplication } = await import('#site');
    const { readTarballFile } = await import('../../compose/application/read-tarball.ts');
    const tarball = readTarballFile(file);
    const { findings, name, version, charts } = await checkApplication(basename(file), tarball);
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.length - errors;
    output.result(
      [
        ...findings.map(
          ({ level, rule, path, message, hint }) =>
            `${level} ${rule}: ${path === '' ? '' : `${path}: `}${message}\n    ${hint}`,
        ),
        `${name ?? file} ${version ?? ''}`.trimEnd() +
          `: ${counted(charts.length, 'chart')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`,
      ].join('\n'),
      { ...omitUndefined({ name, version }), charts, findings },
    );
    return errors === 0 ? EXIT.done : EXIT.failed;
  },
};
