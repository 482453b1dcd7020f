import { gzipSync } from 'node:zlib';

/** An answer or a log line with this text is a leak. */
export const telltale = 'q5Zx7Kw';
/** Placed where secrets go. Even a short excerpt of it is recognized. */
export const marker = telltale.repeat(3);

/** Text with a special meaning in some layer that it passes through. */
export const hostileTexts: string[] = [
  '',
  ' ',
  '\t\n',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  'null',
  'true',
  'NaN',
  '-Infinity',
  '-0',
  '1e308',
  '0x10',
  '-1',
  '9007199254740993',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  "' or '1'='1",
  '"; drop table servers; --',
  '\\',
  '$(id)',
  '`id`',
  '; rm -rf / #',
  '| cat /etc/passwd',
  '${7*7}{{7*7}}',
  '%s%n%x',
  '<script>alert(1)</script>',
  '..',
  '.',
  '../',
  '../../etc/passwd',
  '..%2f..%2f',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  '%zz',
  '%u0041',
  '%ED%A0%80',
  '😀',
  '\u202etxt.exe',
  '\u200f\u200b',
  '\ufeff',
  'I\u0307ßﬃ',
  `Z${'\u0301'.repeat(60)}`,
  'a\r\nset-cookie: a=b',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://[::1',
  'https://user:word@e.com',
  'http://127.0.0.1:1@evil.example/',
  'default',
  'x'.repeat(129),
  'x'.repeat(501),
  'x'.repeat(2100),
];

const times = (count: number, open: string, inner: string, close: string): string =>
  open.repeat(count) + inner + close.repeat(count);

/** JSON as text, because JSON.stringify would clean it up. */
export const hostileFragments: string[] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e308',
  '-1e308',
  '1e999',
  '123456789012345678901234567890',
  '[]',
  '{}',
  '[null]',
  '[[[]]]',
  '{"":""}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":null,"valueOf":1}',
  '{"toJSON":"x","then":"y","length":-1}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '"\\u0000"',
  '"\\ud83d"',
  '{"\\ud83d":1}',
  '{"a\\u0000b":1}',
  ...hostileTexts.map((text) => JSON.stringify(text)),
];

export const largeFragments: string[] = [
  times(60, '[', '1', ']'),
  times(100, '[', '1', ']'),
  times(100, '{"a":', '1', '}'),
  times(20_000, '[', '', ']'),
  `[${'0,'.repeat(9_999)}0]`,
  `[${'"x",'.repeat(9_999)}"x"]`,
  `{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
  JSON.stringify('x'.repeat(70_000)),
  JSON.stringify(`http://${'ü'.repeat(20_000)}.com/`),
  JSON.stringify('😀'.repeat(2_600)),
  `{${JSON.stringify('k'.repeat(20_000))}:"v"}`,
  `{${JSON.stringify(`k${'ü'.repeat(20_000)}`)}:"\\u0000"}`,
];

/** URLs with a secret where none is allowed, and names that take a URL parser very long. */
export const hostileUrls: string[] = [
  `https://user:${marker}@e.com/mcp`,
  `https://${marker}@e.com/mcp`,
  'https://e.com:99999/',
  'https://e.com\\@evil.example/',
  'https://0x7f.1/',
  'https://ﬀ.ß.example/',
  `https://a${'\u0301\u0323'.repeat(100_000)}.com/`,
  `https://${Array.from({ length: 100_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('')}/`,
];

/** Values for fields that must not be returned. */
export const secretFragments: string[] = [
  marker,
  `${marker}\n`,
  `${marker}\0`,
  `${marker}\ud800`,
  `ü${marker}`,
  marker.repeat(6_000),
]
  .map((text) => JSON.stringify(text))
  .concat(`["${marker}"]`, `{"X_Key":"${marker}"}`, `{"X_Key":{"a":"${marker}"}}`, `{"X_Key":["${marker}"]}`);

const text = (body: string): Buffer => Buffer.from(body);

/** Bodies that are wrong as a whole, for every operation. */
export const hostileBodies: Buffer[] = [
  text('{}'),
  text(' \r\n\t '),
  text('null'),
  text('[]'),
  text('"x"'),
  text('1'),
  text('{'),
  text('{"name"'),
  text(`{"clientSecret":"${marker}"`),
  text(`{"clientSecret":"${marker}",}`),
  text(`{"clientSecret":${marker}}`),
  text(`{"clientSecret":"${marker}"${marker}}`),
  text(`${marker}{}`),
  text(`{"headers":{"A":"${marker}\n"}}`),
  text('{"name":"a",}'),
  text("{'name':'a'}"),
  text('{name:1}'),
  text('{}{}'),
  text('{"name":NaN}'),
  text('// x\n{}'),
  text('\ufeff{}'),
  text('\ufeff'),
  text('name=a&url=b'),
  text('<a/>'),
  text('--x\r\ncontent-disposition: form-data; name="name"\r\n\r\na\r\n--x--'),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"name":"a"}', 'utf16le'),
  gzipSync('{"name":"a"}'),
  Buffer.alloc(3),
  text(`{"__proto__":{"isAdmin":true},"name":"a"}`),
  text(`{"name":"a"${',"n":1'.repeat(500)}}`),
];

export const oversizedBodies: Buffer[] = [
  Buffer.alloc(1_048_577, ' '),
  Buffer.alloc(1_048_576, '['),
  text(`{"name":"${'x'.repeat(1_048_500)}"}`),
];
