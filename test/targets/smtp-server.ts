import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { asTarget, type Target } from './listen.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it was sent: header, empty line, text. */
  raw: string;
}

/** `deaf`: takes connections and says nothing. `strict`: takes nobody's password. */
type Temper = 'ready' | 'deaf' | 'strict';

export interface SmtpServer extends Target {
  url: string;
  mails: ReceivedMail[];
  /** Connections so far. */
  readonly calls: number;
  temper: Temper;
}

/** A mail server on loopback that keeps what it gets. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let calls = 0;
  const state: { temper: Temper } = { temper: 'ready' };
  const server = createServer((socket) => {
    calls++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    if (state.temper !== 'deaf') converse(socket, mails, state.temper);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return asTarget(
    {
      url: `smtp://postman:the-word-of-the-postman@127.0.0.1:${port}`,
      mails,
      get calls() {
        return calls;
      },
      get temper() {
        return state.temper;
      },
      set temper(temper: Temper) {
        state.temper = temper;
      },
    },
    stop,
  );
}

function converse(socket: Socket, mails: ReceivedMail[], temper: Temper): void {
  let mail: ReceivedMail = { from: '', to: [], raw: '' };
  let inData = false;
  let pending = '';
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const obey: Record<string, (line: string) => void> = {
    EHLO: () => socket.write('250-localhost\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n'),
    AUTH: () => say(temper === 'strict' ? '535 5.7.8 Not this password' : '235 Welcome'),
    MAIL: (line) => {
      mail = { from: addressIn(line), to: [], raw: '' };
      say('250 Ok');
    },
    RCPT: (line) => {
      mail.to.push(addressIn(line));
      say('250 Ok');
    },
    DATA: () => {
      inData = true;
      say('354 Go on');
    },
    QUIT: () => socket.end('221 Bye\r\n'),
  };
  const take = (line: string): void => {
    if (!inData) return (obey[line.slice(0, 4).toUpperCase()] ?? (() => say('250 Ok')))(line);
    if (line !== '.') return void (mail.raw += `${line}\n`);
    inData = false;
    mails.push(mail);
    say('250 Kept');
  };
  socket.on('data', (bytes) => {
    const lines = (pending + bytes.toString()).split('\r\n');
    pending = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  say('220 localhost');
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)?.[1] ?? '';
}
