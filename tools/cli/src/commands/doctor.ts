import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';

/** `ccp doctor`: checks of this machine, each with a hint. Ends with 5 if a check fails. */
export const doctor: CommandDefinition = {
  usage: 'doctor',
  description:
    'check the engine, disk space, kernel, ports, mirrors of the settings and clock of this machine; changes nothing',
  examples: ['ccp doctor', 'ccp doctor --json'],
  run: async ({ root, own, output }) => {
    const { examineMachine } = await import('../compose/doctor/examine-machine.ts');
    const { colourCheck } = await import('../report/colour.ts');
    const { doctorText } = await import('../report/doctor-text.ts');
    const checks = await examineMachine(root, own);
    output.result(doctorText(checks), { checks }, colourCheck);
    return checks.some(({ outcome }) => outcome === 'failed') ? EXIT.machine : EXIT.done;
  },
};
