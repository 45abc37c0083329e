import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One fault for each strict option that an editor would miss without tsconfig.json. */
const FAULTS = `const rows: string[] = [];
export const first: string = rows[0];
interface Label { readonly text?: string }
export const label: Label = { text: undefined };
export enum Colour { red }
const unused = 1;
`;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
}

/** The TypeScript codes that a language server reports for `text` as the content of `path`. */
async function editorFindings(path: string, text: string): Promise<readonly unknown[]> {
  const server = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const uri = pathToFileURL(`${root}${path}`).href;
  const textDocument = { uri, languageId: 'typescript', version: 1, text };
  send({
    id: 1,
    method: 'initialize',
    params: { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: {} },
  });
  try {
    for await (const message of messagesOf(server.stdout)) {
      if (message.method !== undefined) {
        if (message.id !== undefined) send({ id: message.id, result: null });
      } else if (message.id === 1) {
        send({ method: 'initialized', params: {} });
        send({ method: 'textDocument/didOpen', params: { textDocument } });
        send({ id: 2, method: 'textDocument/diagnostic', params: { textDocument: { uri } } });
      } else {
        const { items } = message.result as {
          readonly items: readonly { readonly code: number }[];
        };
        return items.map(({ code }) => code);
      }
    }
    throw new Error('the language server ended without an answer');
  } finally {
    server.kill();
  }
}

async function* messagesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString('latin1'));
      if (head === null) break;
      const end = head[0].length + Number(head[1]);
      if (rest.length < end) break;
      yield JSON.parse(rest.subarray(head[0].length, end).toString()) as Message;
      rest = rest.subarray(end);
    }
  }
}

it.each(['tools/core/src/seeded.ts', 'tests/repository/seeded.ts', 'ci/seeded.ts'])(
  'shows the faults of %s in an editor',
  async (path) => {
    expect(await editorFindings(path, FAULTS)).toEqual([2322, 2375, 1294, 6133]);
  },
);
