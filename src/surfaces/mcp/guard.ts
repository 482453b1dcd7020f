import { Refusal } from '../../contract/errors.ts';

export interface GuardOptions {
  /** The address the service listens on. */
  host: string;
  publicUrl: string | undefined;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

interface Asked {
  host: string | undefined;
  origin: string | undefined;
}

/**
 * Rejects requests of web pages: DNS rebinding, where a foreign host name points at this machine, and foreign origins.
 * Programs send no Origin.
 */
export function guardFor({ host: listening, publicUrl }: GuardOptions): (asked: Asked) => void {
  const known = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const local = isLoopback(listening);
  return ({ host, origin }) => {
    const asked = hostOf(`http://${host ?? ''}`);
    if (local && !(asked && [...loopbackNames, ...known].includes(asked.hostname)))
      throw new Refusal('FORBIDDEN', 'The Host header does not name this machine');
    if (origin === undefined) return;
    const from = hostOf(origin);
    const allowed =
      from !== undefined &&
      (local
        ? [...loopbackNames, ...known].includes(from.hostname)
        : from.host === asked?.host || from.origin === hostOf(publicUrl ?? '')?.origin);
    if (!allowed) throw new Refusal('FORBIDDEN', 'Requests from another origin are not allowed');
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Parses a web origin; undefined for other schemes and URLs with credentials. */
function hostOf(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined;
}
