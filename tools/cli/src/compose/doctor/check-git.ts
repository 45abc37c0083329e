import type { MachineFinding } from '../../report/doctor-text.ts';

/** Machine facts that the check of git needs. */
export interface GitReaders {
  readonly isInstalled: boolean;
  /**
   * Reads the repository of the workspace, if there is one; throws the reason if git refuses it.
   */
  readonly readRepository: () => void;
}

/** A finding for the program git, and for the workspace's repository. */
export function checkGit({ isInstalled, readRepository }: GitReaders): readonly MachineFinding[] {
  const check = 'git';
  if (!isInstalled)
    return [
      {
        check,
        outcome: 'warning',
        detail: 'git is not installed; git sources, `ccp affected` and checks of a clone need it',
        hint: 'install the package git',
      },
    ];
  readRepository();
  return [{ check, outcome: 'ok', detail: 'git is installed and reads the repository, if any' }];
}
