import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { onTestFinished } from 'vitest';
import { rightPassword } from './browser.ts';
import type { AtEnd } from './process.ts';
import { chromiumPath as foundAt } from './programs.ts';

/** Where the browser of the machine is; tests that use it have the tag `chromium`. */
export const chromiumPath = foundAt ?? '/usr/bin/chromium';

/** Of this worker, for all its files: starting one takes most of a second. */
let kept: Promise<Browser> | undefined;

/**
 * What is opened in it is closed with the test, or when `atEnd` says. One that keeps pages, and shows them again as they
 * were, as people's do, is started for the test.
 */
export async function startBrowser(
  atEnd: AtEnd = onTestFinished,
  { keepsPages = false } = {},
): Promise<Browser> {
  if (keepsPages) {
    const browser = await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
    atEnd(() => browser.close());
    return browser;
  }
  const earlier = await kept;
  if (!earlier?.isConnected()) kept = launch();
  const browser = await (kept as Promise<Browser>);
  atEnd(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  return browser;
}

function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    ...options,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      // Drawing in software is quicker without pretending to have one.
      '--disable-gpu',
      // Letters are drawn alike on every run.
      '--font-render-hinting=none',
      '--disable-lcd-text',
      '--force-color-profile=srgb',
    ],
  });
}

export interface Visit {
  page: Page;
  /** What the policy of the page refused, and what its scripts complained about. */
  complaints: string[];
}

export interface Where {
  baseUrl: string;
  /** Of the one who is signed in. */
  session?: string;
}

/** The window of somebody who has nothing of it stored. */
export async function openConsole(
  browser: Browser,
  { baseUrl, session }: Where,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    ...options,
  });
  context.setDefaultTimeout(120_000);
  if (session !== undefined)
    await context.addCookies([
      { name: 'drydock_session', value: session, url: baseUrl, httpOnly: true, sameSite: 'Lax' },
    ]);
  return context;
}

/** A page of the console, which says what is wrong with it. */
export async function visit(
  browser: Browser,
  where: Where,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await openConsole(browser, where, options);
  const complaints: string[] = [];
  await context.exposeBinding('complain', (_source, text: string) => void complaints.push(text));
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    complain(\`policy: \${event.violatedDirective} \${event.blockedURI} \${event.sourceFile}\`));`);
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refusal is an answer, which the page shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`console: ${message.text()}`);
  });
  return { page, complaints };
}

/** The session of somebody who opens a link and chooses a password, as pages ask everybody to. */
export async function sessionOf(baseUrl: string, link: string): Promise<string> {
  const send = (method: string, path: string, body: object, cookie = ''): Promise<Response> =>
    fetch(`${baseUrl}/console/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-drydock-console': '1', cookie },
      body: JSON.stringify(body),
    });
  const token = /#([\w-]+)/.exec(link)?.[1];
  const [cookie = ''] = (await send('POST', '/links/use', { token })).headers.getSetCookie();
  await send('PUT', '/password', { newPassword: rightPassword }, cookie.split(';')[0]);
  return /=([^;]+)/.exec(cookie)?.[1] as string;
}
