import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh from 'ssh2';
import type { TestRepository } from './git-repository.ts';

/** A repository behind a real SSH server on loopback. */
export interface SshServer {
  /** `ssh://git@127.0.0.1:PORT/repo`. */
  readonly url: string;
  /** GIT_SSH_COMMAND of a client with an accepted key and the server's host key. */
  readonly command: string;
  /** GIT_SSH_COMMAND of a client without a key. */
  readonly strange: string;
  close(): Promise<void>;
}

/** Serves git-upload-pack of a repository to clients with one accepted key. */
export async function serveOverSsh(repository: TestRepository): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-ssh-'));
  const key = (name: string): string => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    return join(folder, name);
  };
  const [host, user] = [key('host'), key('user')];
  const allowed = ssh.utils.parseKey(readFileSync(`${user}.pub`));
  if (allowed instanceof Error) throw allowed;
  const server = new ssh.Server({ hostKeys: [readFileSync(host)] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      const known =
        context.method === 'publickey' && context.key.data.equals(allowed.getPublicSSH());
      if (!known) return context.reject(['publickey']);
      if (
        context.signature !== undefined &&
        allowed.verify(context.blob!, context.signature, context.hashAlgo) !== true
      )
        return context.reject();
      context.accept();
    });
    client.on('session', (accept) => {
      const session = accept();
      session.on('env', (acceptVariable) => acceptVariable?.());
      session.on('exec', (acceptCommand, reject, { command }) => {
        if (!/^git-upload-pack '\/repo'$/.test(command)) return reject();
        const channel = acceptCommand();
        const git = spawn('git', ['upload-pack', repository.folder], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        channel.pipe(git.stdin);
        git.stdout.pipe(channel, { end: false });
        git.on('close', (code) => {
          channel.exit(code ?? 1);
          channel.end();
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    join(folder, 'known_hosts'),
    `[127.0.0.1]:${port} ${readFileSync(`${host}.pub`, 'utf8')}`,
  );
  const command = `ssh -F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none -o UserKnownHostsFile=${join(folder, 'known_hosts')}`;
  return {
    url: `ssh://git@127.0.0.1:${port}/repo`,
    command: `${command} -i ${user}`,
    strange: `${command} -i ${host}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
