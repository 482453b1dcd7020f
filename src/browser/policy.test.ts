import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BrowserCommand } from './command.ts';
import { type BrowserPolicy, narrow, Permissions } from './policy.ts';

const commands: BrowserCommand[] = [
  { op: 'back' },
  { op: 'reload', observeAfter: 'a11y' },
  { op: 'navigate', url: 'http://a.com', observeAfter: 'screenshot' },
  { op: 'navigate', url: 'http://a.com' },
  { op: 'observe', mode: 'text' },
  { op: 'act', verb: 'click' },
  { op: 'act', verb: 'scroll' },
  { op: 'act', verb: 'hover', observeAfter: 'a11y' },
  { op: 'act', verb: 'accept_dialog' },
  { op: 'invoke_page_tool', toolKey: 'pay', input: {} },
  { op: 'invoke_page_tool', toolKey: 'frame2/pay', input: {} },
  { op: 'invoke_page_tool', toolKey: 'look', input: {} },
  { op: 'cancel_page_tool', invocationId: 'inv1' },
];

const hosts = ['a.com', 'b.a.com', 'c.b.a.com', 'xa.com', 'com', '[::1]', '127.0.0.1'];
const places = hosts.flatMap((host) =>
  [80, 443, 8080].flatMap((port) =>
    ([undefined, 'http', 'https'] as const).map((scheme) => [host, port, scheme] as const),
  ),
);

/** For each command and origin of these tests, whether a policy allows it. */
function allowed(policy: BrowserPolicy): boolean[] {
  const permissions = new Permissions(policy);
  return [
    ...commands.map((command) => permissions.refusalOfCommand(command) === undefined),
    ...places.map((place) => permissions.refusalOfOrigin(...place) === undefined),
  ];
}

const origins = [
  'a.com',
  'a.com:8080',
  'http://a.com',
  'https://a.com',
  'https://*.a.com',
  '*.a.com',
  '*.b.a.com',
  'http://b.a.com:8080',
  'http://[::1]:8080',
  '127.0.0.1',
];
const tools = [
  'act',
  'click',
  'scroll',
  'hover',
  'observe',
  'navigate',
  'back',
  'reload',
  'invoke_page_tool',
  'invoke_page_tool:pay',
  'invoke_page_tool:look',
  'cancel_page_tool',
];
const policies: fc.Arbitrary<BrowserPolicy> = fc.record({
  mode: fc.constantFrom('allow_all', 'read_only', 'allowlist'),
  originAllowlist: fc.option(fc.subarray(origins), { nil: undefined }),
  toolAllowlist: fc.option(fc.subarray(tools), { nil: undefined }),
});

test('a policy that is narrowed never allows more than either, and nothing less where the scheme is known', () => {
  fc.assert(
    fc.property(policies, policies, (one, two) => {
      const narrowed = allowed(narrow(one, two));
      const [first, second] = [allowed(one), allowed(two)];
      narrowed.forEach((is, n) => expect(!is || (first[n] && second[n])).toBe(true));
      // A tunnel has no scheme, so each policy may allow the port for a different scheme.
      const exact = narrowed.map(
        (_, n) => n < commands.length || places[n - commands.length]?.[2] !== undefined,
      );
      narrowed.forEach((is, n) => expect(is || !exact[n] || !(first[n] && second[n])).toBe(true));
      expect(allowed(narrow(two, one))).toEqual(narrowed);
      expect(allowed(narrow(one, one))).toEqual(first);
    }),
  );
});

describe('modes', () => {
  const verdicts = (policy: BrowserPolicy): string[] =>
    commands
      .filter((command) => new Permissions(policy).refusalOfCommand(command) === undefined)
      .map((command) => (command.op === 'act' ? command.verb : command.op));

  test('read_only looks and moves about', () => {
    expect(new Set(verdicts({ mode: 'read_only' }))).toEqual(
      new Set(['back', 'reload', 'navigate', 'observe', 'scroll', 'hover']),
    );
  });

  test('allowlist without a list allows nothing, and with one list what it says', () => {
    expect(allowed({ mode: 'allowlist' })).not.toContain(true);
    expect(verdicts({ mode: 'allowlist', toolAllowlist: ['navigate', 'act'] })).toEqual([
      'navigate',
      'click',
      'scroll',
      'accept_dialog',
    ]);
    const listed = new Permissions({ mode: 'allowlist', originAllowlist: ['https://*.a.com'] });
    const seen = places.filter((place) => listed.refusalOfOrigin(...place) === undefined);
    expect(new Set(seen.map(([host, port]) => `${host}:${port}`))).toEqual(
      new Set(['b.a.com:443', 'c.b.a.com:443']),
    );
  });

  test.each(['ftp://a.com', 'https://*', 'https://a.*.com', 'https://', 'a b', ''])(
    'the origin %j is refused',
    (origin) => {
      expect(() => new Permissions({ mode: 'allow_all', originAllowlist: [origin] })).toThrow(
        'Use origins like',
      );
    },
  );
});
