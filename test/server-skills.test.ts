// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SavedServer, saveServer } from './support/live.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Crafted, listedAs, startCraftedSkills, startSkillServer } from './targets/skills.ts';

let service: TestService;
let crafted: Crafted;
let server: SavedServer;

beforeAll(async () => {
  service = await startTestService();
  crafted = await startCraftedSkills();
  server = await saveServer(service, { url: crafted.url });
});
afterAll(async () => {
  await dispose(service);
  await crafted.stop();
});

const active = { declared: true, advertised: true, directoryRead: false, active: true };

const refunds = `---
name: refunds
description: How refunds are made.
metadata:
  owner: "billing"
---

# Refunds
Ask first.
`;
const limits = 'At most 100 a day.\n';

test.each(['2025-11-25', '2026-07-28'])(
  'skills of a server that follows the extension are listed, read and verified over %s',
  async (mcpProtocolVersion) => {
    const picture = Buffer.from([0xff, 0xd8, 0, 1]);
    await using honest = await startSkillServer({
      'refunds/SKILL.md': refunds,
      'refunds/references/limits.md': limits,
      'refunds/assets/stamp.jpg': picture,
      'greet/SKILL.md': '---\nname: greet\ndescription: Says hello.\n---\nHello.\n',
    });
    const saved = await saveServer(service, { url: honest.url });
    const ask = (operation: string, body: object = {}) =>
      saved.post(operation, { mcpProtocolVersion, ...body });
    const listed = await ask('skills');
    const skillUri = 'skill://acme/refunds/SKILL.md';
    expect(listed).toMatchObject({
      status: 200,
      body: {
        support: { ...active, directoryRead: true },
        serverId: saved.id,
        duplicateUris: [],
        rejected: [],
      },
    });
    const { skills } = listed.body as { skills: { skillUri: string; name: string }[] };
    expect(skills.map(({ name }) => name)).toEqual(['greet', 'refunds']);
    expect(skills[1]).toMatchObject({
      serverId: saved.id,
      skillUri,
      description: 'How refunds are made.',
      frontmatter: { metadata: { owner: 'billing' } },
    });
    expect((await ask('skills', { firstPageOnly: true })).body.skills).toHaveLength(1);

    const { body: got } = await ask('skills/get', { uri: skillUri });
    expect(got).toMatchObject({
      support: { active: true },
      skill: {
        name: 'refunds',
        content: '# Refunds\nAsk first.\n',
        contentSha256: listedAs('', refunds).digest.slice(7),
      },
    });
    expect(got.skill.resources).toContainEqual(listedAs('skill://acme/refunds/references/limits.md', limits));

    // The URI may be percent-encoded.
    for (const resourceUri of ['references/limits.md', 'references/l%69mits.md'])
      expect(
        (await ask('skills/read-file', { skillUri, resourceUri: `skill://acme/refunds/${resourceUri}` }))
          .body,
      ).toMatchObject({ file: { text: limits, digest: listedAs('', limits).digest } });
    const stamp = { skillUri, resourceUri: 'skill://acme/refunds/assets/stamp.jpg' };
    expect((await ask('skills/read-file', stamp)).body.file).toMatchObject({
      text: '',
      blob: picture.toString('base64'),
    });
    expect((await ask('skills/get', { uri: 'skill://acme/none/SKILL.md' })).body).toMatchObject({
      refusal: { kind: 'not_found', skillUri: 'skill://acme/none/SKILL.md' },
    });
  },
);

test('a server without the extension, and a client that does not declare it, are told apart', async () => {
  const uri = 'skill://acme/refunds/SKILL.md';
  const check = async (body: object, support: object): Promise<void> => {
    const listed = await server.post('skills', body);
    expect(listed).toMatchObject({ status: 200, body: { support, skills: [], rejected: [] } });
    for (const [operation, more] of [
      ['skills/get', { uri }],
      ['skills/read-file', { skillUri: uri, resourceUri: uri }],
    ] as const)
      expect(await server.post(operation, { ...body, ...more })).toMatchObject({
        status: 200,
        body: { support, refusal: { kind: 'extension_inactive' } },
      });
  };
  crafted.asked.length = 0;
  crafted.now.advertises = undefined;
  await check({}, { declared: true, advertised: false, active: false });
  crafted.now.advertises = {};
  await check({ clientCapabilities: {} }, { declared: false, advertised: true, active: false });
  expect(crafted.asked.filter((line) => /skills|read/.test(line))).toEqual([]);
});

const uri = 'skill://acme/refunds/SKILL.md';
const frontmatter = { name: 'refunds', description: 'How refunds are made.', metadata: { owner: 'billing' } };
const more = 'skill://acme/refunds/limits.md';
const whole = { uri, frontmatter, resources: [listedAs(uri, refunds), listedAs(more, limits)] };
const many = Array.from({ length: 10_000 }, (_, n) => listedAs(`skill://acme/refunds/${n}.md`, ''));
const sends = (text: string) => ({ text });

/** Changes to a valid server, and the resulting refusals for SKILL.md and for another file. */
const hostile: [
  name: string,
  change: { entry?: unknown; content?: object | ((uri: string) => object | undefined); error?: object },
  skill: string | undefined,
  file: string | undefined,
][] = [
  ['nothing', {}, undefined, undefined],
  ['no files are listed', { entry: { ...whole, resources: [] } }, 'no_resources', 'no_resources'],
  ['files are not mentioned', { entry: { uri, frontmatter } }, 'no_resources', 'no_resources'],
  [
    'files are made anew each time',
    { entry: { ...whole, resources: 'dynamic' } },
    'dynamic_resources',
    'dynamic_resources',
  ],
  ['10,000 files', { entry: { ...whole, resources: many } }, 'too_many_resources', 'too_many_resources'],
  [
    'a file that says it is huge',
    { entry: { ...whole, resources: [{ ...listedAs(uri, refunds), size: 2 ** 40 }] } },
    'too_large',
    'too_large',
  ],
  [
    'a file that is huge',
    {
      entry: { ...whole, resources: whole.resources.map(({ uri: of, digest }) => ({ uri: of, digest })) },
      content: sends('x'.repeat(17 * 1024 * 1024)),
    },
    'too_large',
    'too_large',
  ],
  [
    'an answer that is more than is read',
    { content: sends('x'.repeat(40 * 1024 * 1024)) },
    'too_large',
    'too_large',
  ],
  [
    'SKILL.md is not listed',
    { entry: { ...whole, resources: [listedAs(more, limits)] } },
    'unlisted_resource',
    undefined,
  ],
  [
    'the other file is not listed',
    { entry: { ...whole, resources: [listedAs(uri, refunds)] } },
    undefined,
    'unlisted_resource',
  ],
  [
    'another text of the same length',
    { content: sends(refunds.replace('Ask', 'Eat')) },
    'digest_mismatch',
    'size_mismatch',
  ],
  ['a longer text', { content: sends(`${refunds}And more.`) }, 'size_mismatch', 'size_mismatch'],
  [
    'a digest of another kind',
    { entry: { ...whole, resources: [{ ...listedAs(uri, refunds), digest: 'md5:0' }] } },
    'unsupported_digest',
    'unsupported_digest',
  ],
  [
    'a field of the frontmatter differs',
    { entry: { ...whole, frontmatter: { ...frontmatter, metadata: { owner: 'ops' } } } },
    'frontmatter_drift',
    undefined,
  ],
  [
    'a field is only in the listing',
    { entry: { ...whole, frontmatter: { ...frontmatter, 'allowed-tools': 'Bash' } } },
    'frontmatter_drift',
    undefined,
  ],
  [
    'the name is not that of the folder',
    { entry: { ...whole, frontmatter: { ...frontmatter, name: 'payouts' } } },
    'identity_mismatch',
    'identity_mismatch',
  ],
  [
    'another skill is answered',
    {
      entry: {
        uri: 'skill://acme/greet/SKILL.md',
        frontmatter: { name: 'greet', description: 'd' },
        resources: [listedAs('skill://acme/greet/SKILL.md', '')],
      },
    },
    'identity_mismatch',
    'identity_mismatch',
  ],
  [
    'a file outside of the folder',
    { entry: { ...whole, resources: [...whole.resources, listedAs('file:///etc/passwd', '')] } },
    'fetch_failed',
    'fetch_failed',
  ],
  [
    'a file that climbs out',
    {
      entry: {
        ...whole,
        resources: [...whole.resources, listedAs('skill://acme/refunds/..%2fgreet/SKILL.md', '')],
      },
    },
    'fetch_failed',
    'fetch_failed',
  ],
  [
    'a file twice',
    { entry: { ...whole, resources: [...whole.resources, listedAs(more, 'other')] } },
    'fetch_failed',
    'fetch_failed',
  ],
  ['an entry that is none', { entry: 7 }, 'fetch_failed', 'fetch_failed'],
  [
    'an error',
    { entry: null, error: { code: -32603, message: 'Out of order' } },
    'fetch_failed',
    'fetch_failed',
  ],
  ['an unknown skill', { entry: null }, 'not_found', 'not_found'],
  ['files without contents', { content: () => ({ contents: [] }) }, 'fetch_failed', 'fetch_failed'],
  [
    'contents of another file',
    { content: () => ({ contents: [{ uri: 'skill://acme/other', text: refunds }] }) },
    'fetch_failed',
    'fetch_failed',
  ],
];

test.each(hostile)(
  '%s: what fails a check is refused and not passed on',
  async (_name, { entry = whole, content, error }, skill, file) => {
    const texts: Record<string, string> = { [uri]: refunds, [more]: limits };
    Object.assign(crafted.now, {
      advertises: {},
      entry: () => entry ?? undefined,
      error: error ?? { code: -32002, message: 'No such thing' },
      read: (asked: string) =>
        typeof content === 'function'
          ? content(asked)
          : { contents: [{ uri: asked, ...(content ?? { text: texts[asked] }) }] },
    });
    const got = await server.post('skills/get', { uri });
    const read = await server.post('skills/read-file', { skillUri: uri, resourceUri: more });
    expect([got.status, read.status]).toEqual([200, 200]);
    expect(got.body.refusal?.kind).toBe(skill);
    expect(read.body.refusal?.kind).toBe(file);
    expect([got.body.skill === undefined, read.body.file === undefined]).toEqual([
      skill !== undefined,
      file !== undefined,
    ]);
  },
);

test('a listing holds what can be loaded, what cannot, and what is not in order', async () => {
  const of = (name: string, resources: unknown, fields: object = {}) => ({
    uri: `skill://acme/${name}/SKILL.md`,
    frontmatter: { name, description: 'd', ...fields },
    resources,
  });
  const main = (name: string) => [listedAs(`skill://acme/${name}/SKILL.md`, '')];
  crafted.now.entries = [
    of('good', main('good')),
    of('dynamic', 'dynamic'),
    of('empty', []),
    of('many', many),
    of('large', [{ ...main('large')[0], size: 2 ** 40 }]),
    of('twice', main('twice')),
    { ...of('twice', main('twice')), uri: 'skill://acme/tw%69ce/SKILL.md' },
    of('renamed', main('renamed'), { name: 'other' }),
    of('Bad_Name', main('Bad_Name')),
    of('md5', [{ ...main('md5')[0], digest: 'md5:1' }]),
    null,
    { uri: 'not an address', frontmatter: { name: 'a', description: 'd' }, resources: [] },
  ];
  const { body } = await server.post('skills');
  expect(body).toMatchObject({
    ttlMs: 60_000,
    cacheScope: 'private',
    duplicateUris: ['skill://acme/twice/SKILL.md'],
  });
  expect(
    (body.skills as { name: string; unloadable?: { reason: string } }[]).map(({ name, unloadable }) => [
      name,
      unloadable?.reason,
    ]),
  ).toEqual([
    ['good', undefined],
    ['dynamic', 'dynamic_resources'],
    ['empty', 'no_resources'],
    ['many', 'too_many_resources'],
    ['large', 'too_large'],
  ]);
  expect((body.rejected as { skillUri?: string }[]).map(({ skillUri }) => skillUri)).toEqual([
    'skill://acme/renamed/SKILL.md',
    'skill://acme/Bad_Name/SKILL.md',
    'skill://acme/md5/SKILL.md',
    undefined,
    'not an address',
  ]);
});

test('a server that cannot be reached is an error, not a refusal', async () => {
  const gone = await saveServer(service, { url: 'http://127.0.0.1:9/mcp' });
  expect(await gone.post('skills/get', { uri })).toMatchObject({ status: 502 });
});
