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

/** Path of the machine's browser; tests that use it have the tag `chromium`. */
export const chromiumPath = foundAt ?? '/usr/bin/chromium';

/** One browser per test worker, shared by its files: starting one takes most of a second. */
let kept: Promise<Browser> | undefined;

/**
 * Contexts are closed with the test, or when `atEnd` says. With `keepsPages`, a browser with a back/forward
 * cache is started for this test alone.
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
      // Software rendering is faster without an emulated GPU.
      '--disable-gpu',
      // Text is rendered alike on every run.
      '--font-render-hinting=none',
      '--disable-lcd-text',
      '--force-color-profile=srgb',
    ],
  });
}

export interface Visit {
  page: Page;
  /** Violations of the content security policy, and errors of the page's scripts. */
  complaints: string[];
}

export interface Where {
  baseUrl: string;
  /** Token of the user's session. */
  session?: string;
}

/** A context of the console without any stored data. */
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

/** A page of the console, with its errors. */
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
    // A refusal is an expected answer, which the page shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`console: ${message.text()}`);
  });
  return { page, complaints };
}

/** The session of a user who opens a link and sets a password, as the pages require. */
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
