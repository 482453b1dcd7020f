import { hideSecretsInTurns } from '../../../mcp/target.ts';

/** Shorter ones are no secrets, and stand in texts by chance. */
const shortest = 6;
/** Of tokens that are refreshed again and again, so many are remembered. */
const mostTold = 20;
/** What stands before the secret in a header. */
const schemes = /^(basic|bearer|digest|token)$/i;

/**
 * Takes these secrets out of what servers say, before a model, a check or a trace sees it. Looking for them is cheap;
 * only where one may be the value is gone through in all ways of writing it.
 */
function hiding(values: readonly string[]): <T>(value: T) => Promise<T> {
  const secrets = [...new Set(values)].filter((value) => value.length >= shortest && !schemes.test(value));
  if (secrets.length === 0) return async (value) => value;
  const sought = [...new Set([...secrets, ...secrets.flatMap(inBase64)])];
  const tests = sought.map(mayStandIn);
  return async (value) => {
    const text = JSON.stringify(value) ?? '';
    return tests.some((test) => test(text)) ? hideSecretsInTurns(value, sought) : value;
  };
}

/** The same, with secrets that are only known when something was said: tokens that the server was sent. */
export function hidingWith(values: readonly string[]): <T>(value: T, told?: readonly string[]) => Promise<T> {
  let known: readonly string[] = [];
  let hide = hiding(values);
  return (value, told = []) => {
    const more = told.filter((secret) => !known.includes(secret));
    if (more.length > 0) {
      known = [...known, ...more].slice(-mostTold);
      hide = hiding([...values, ...known]);
    }
    return hide(value);
  };
}

/** Letters and digits stay as they are in JSON, in a URL and in a page: where they are missing, the secret is. */
function mayStandIn(secret: string): (text: string) => boolean {
  const runs = secret.match(/[A-Za-z0-9]{3,}/g);
  if (runs) return (text) => runs.every((run) => text.includes(run));
  const inJson = JSON.stringify(secret).slice(1, -1);
  const nested = JSON.stringify(inJson).slice(1, -1);
  const forms = [inJson, nested, encodeURIComponent(secret.toWellFormed())];
  return (text) => forms.some((form) => text.includes(form));
}

/** As it stands in base64, alone or inside something longer: what it looks like depends on what comes before it. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const texts = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters that hold bits of nothing but the secret.
    return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  });
  return texts
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
    .filter(({ length }) => length >= shortest);
}
