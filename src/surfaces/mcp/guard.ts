import { Refusal } from '../../contract/errors.ts';

export interface GuardOptions {
  /** The address that the service listens on. */
  host: string;
  publicUrl: string | undefined;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

interface Asked {
  host: string | undefined;
  origin: string | undefined;
}

/**
 * Refuses what a page in a browser could send here without its user: over a name of its own that it points at this
 * machine, or from a foreign origin. Programs send no Origin.
 */
export function guardFor({ host: listening, publicUrl }: GuardOptions): (asked: Asked) => void {
  const known = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const local = isLoopback(listening);
  return ({ host, origin }) => {
    const asked = hostOf(`http://${host ?? ''}`);
    if (local && !(asked && [...loopbackNames, ...known].includes(asked.hostname)))
      throw new Refusal('FORBIDDEN', 'The Host header names another machine than this one');
    if (origin === undefined) return;
    const from = hostOf(origin);
    const allowed =
      from !== undefined &&
      (local
        ? [...loopbackNames, ...known].includes(from.hostname)
        : from.host === asked?.host || from.origin === hostOf(publicUrl ?? '')?.origin);
    if (!allowed) throw new Refusal('FORBIDDEN', 'Requests of pages from another origin are refused');
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Of a page: whatever is no web address, or says a user too, is none. */
function hostOf(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined;
}
