import type { Response } from 'playwright-core';
import { withTimeout } from '../platform/flow/deadline.ts';
import { act } from './act.ts';
import type { ActCommand, BrowserCommand, CommandResult, ObserveAfter } from './command.ts';
import { BrowserFailure } from './failure.ts';
import { guardStatuses } from './guard-proxy.ts';
import type { InternalHosts } from './internal-hosts.ts';
import { type Observed, observe } from './observe.ts';
import type { Permissions } from './policy.ts';
import type { Tab, Tabs } from './tabs.ts';

/** The parts of a session that commands use. */
export interface CommandScope extends Observed {
  tabs: Tabs;
  permissions: Permissions;
  internal: InternalHosts;
  /** Settles with the reason when the session ends. */
  ended: Promise<string>;
}

export interface CommandOptions {
  tabId?: string | undefined;
  /** Milliseconds. */
  timeout: number;
}

type Done = Pick<CommandResult, 'observation' | 'output'>;
type Outcome = { done: Done } | { dialog: true } | { lost: string };

/** Tracks whether a command has started to have effects. A command that is stopped before that has none. */
class Start {
  private begun = false;
  private stopped = false;
  readonly begin = (): void => {
    if (this.stopped) throw new BrowserFailure('refused', heldUp.reason);
    this.begun = true;
  };

  /** Returns whether the command had not started. */
  stop(): boolean {
    this.stopped = !this.begun;
    return this.stopped;
  }
}

/** The result of a command interrupted by a dialog: refused before its start, unknown after it. */
const heldUp = {
  result: 'refused',
  refusal: 'refused',
  reason: 'The page opened a dialog before the command started. Answer the dialog first, or close the tab',
} as const;
const heldInside = {
  result: 'unknown',
  reason: 'The page opened a dialog while the command ran; whether the command had an effect is unknown',
} as const;
const done = { result: 'executed' } as const;

/** Dismisses an open dialog, unless `answersDialog`, and executes a command. */
export async function performCommand(
  scope: CommandScope,
  command: BrowserCommand,
  options: CommandOptions,
): Promise<CommandResult> {
  let tab: Tab | undefined;
  try {
    const forbidden = scope.permissions.refusalOfCommand(command);
    if (forbidden !== undefined) throw new BrowserFailure('not-allowed', forbidden);
    if (command.op === 'navigate') checkAddress(scope, command.url);
    const ends = performance.now() + options.timeout;
    tab = await chooseTab(scope, command, options.tabId);
    if (!answersDialog(command)) await tab.dialogs.answer(false);
    const invocationId = command.op === 'invoke_page_tool' ? scope.pageTools.begin() : undefined;
    const chosen = tab;
    const { documents } = tab;
    const start = new Start();
    const work = () => carryOut(scope, chosen, command, start, invocationId);
    const raced = await race(scope, tab, ends, work);
    const outcome = 'lost' in raced && closes(command) && tab.page.isClosed() ? { done: {} } : raced;
    const begun = { ...(invocationId !== undefined && { invocationId }) };
    if ('lost' in outcome) return describe(scope, tab, { result: 'unknown', reason: outcome.lost, ...begun });
    if ('dialog' in outcome) {
      const stopped = start.stop();
      const moved = !moves(command) || tab.documents > documents;
      return describe(scope, tab, { ...(stopped ? heldUp : moved ? done : heldInside), ...begun });
    }
    const after = await observeAfterwards(scope, tab, command, ends);
    return describe(scope, tab, { result: 'executed', ...begun, ...outcome.done, ...after });
  } catch (error) {
    if (error instanceof MaybeDone) return describe(scope, tab, { result: 'unknown', reason: error.message });
    if (!(error instanceof BrowserFailure)) throw error;
    if (error.kind !== 'refused' && error.kind !== 'not-allowed') throw error;
    return describe(scope, tab, { result: 'refused', reason: error.message, refusal: error.kind });
  }
}

/** Allows only http and https, because the guard sees only network requests. */
function checkAddress({ permissions, internal }: CommandScope, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new BrowserFailure('refused', 'Only http:// and https:// URLs can be opened');
  if (url.username !== '' || url.password !== '')
    throw new BrowserFailure('refused', 'URLs with a user name or password cannot be opened');
  if (internal.holds(url.hostname)) return;
  const scheme = url.protocol === 'http:' ? 'http' : 'https';
  const port = url.port === '' ? (scheme === 'http' ? 80 : 443) : Number(url.port);
  const forbidden = permissions.refusalOfOrigin(url.hostname, port, scheme);
  if (forbidden !== undefined) throw new BrowserFailure('not-allowed', forbidden);
}

function chooseTab({ tabs }: CommandScope, command: BrowserCommand, tabId: string | undefined): Promise<Tab> {
  if (command.op === 'navigate' && command.newTab) return tabs.open();
  const named =
    command.op === 'act' && (command.verb === 'close_tab' || command.verb === 'activate_tab')
      ? command.value
      : undefined;
  return tabs.pick(named ?? tabId);
}

/**
 * Whether a command may run while a dialog is open: it answers or observes the dialog, or cancels a page tool. All
 * others dismiss the dialog first.
 */
export function answersDialog(command: BrowserCommand): boolean {
  if (command.op === 'act') return command.verb === 'accept_dialog' || command.verb === 'dismiss_dialog';
  return (command.op === 'observe' && command.mode === 'dialog') || command.op === 'cancel_page_tool';
}

function moves({ op }: BrowserCommand): boolean {
  return op === 'navigate' || op === 'reload' || op === 'back' || op === 'forward';
}

function closes(command: BrowserCommand): boolean {
  return command.op === 'act' && command.verb === 'close_tab';
}

/**
 * Waits until the command ends, a dialog opens, the page or session is gone, or the timeout passes. Later results are
 * ignored.
 */
async function race(
  { ended }: CommandScope,
  tab: Tab,
  ends: number,
  work: () => Promise<Done>,
): Promise<Outcome> {
  const { opened, stop } = tab.dialogs.next();
  const gone = Promise.race([tab.gone, ended]).then((why): Outcome => ({ lost: `While it ran ${why}` }));
  const done = work().then(
    (done): Outcome => ({ done }),
    (error: unknown) => {
      if (error instanceof BrowserFailure) throw error;
      return { lost: firstLine(error) };
    },
  );
  try {
    // Commands on a closed page fail too, with a less helpful error.
    const first = await withTimeout(
      Math.max(1, ends - performance.now()),
      Promise.race([done, opened.then((): Outcome => ({ dialog: true })), gone]),
      (): Outcome => ({ lost: 'The command timed out; whether it had an effect is unknown' }),
    );
    return 'lost' in first ? await Promise.race([gone, turn().then(() => first)]) : first;
  } finally {
    stop();
    done.catch(() => {});
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

async function carryOut(
  scope: CommandScope,
  tab: Tab,
  command: BrowserCommand,
  start: Start,
  invocationId = '',
): Promise<Done> {
  const { page } = tab;
  // Observations have no effects, and actions start later.
  if (command.op !== 'observe' && command.op !== 'act') start.begin();
  switch (command.op) {
    case 'back':
    case 'forward':
      await move(tab, () => (command.op === 'back' ? page.goBack(read) : page.goForward(read)), command.op);
      return {};
    case 'reload':
      await load(scope, tab, () => page.reload(read));
      return {};
    case 'navigate':
      await load(scope, tab, () => page.goto(command.url, read));
      return {};
    case 'observe':
      return { observation: await observe(tab, command, scope) };
    case 'act':
      await actOn(scope, tab, command, start.begin);
      return {};
    case 'invoke_page_tool':
      return { output: await scope.pageTools.invoke(page, command, invocationId) };
    case 'cancel_page_tool':
      await scope.pageTools.cancel(command.invocationId);
      return {};
  }
}

/** No separate timeout: the timeout of the command applies. */
const read = { waitUntil: 'domcontentloaded', timeout: 0 } as const;
/** Milliseconds to wait for further resources, which some pages never finish loading. */
const resourceTimeout = 3_000;

async function move(tab: Tab, go: () => Promise<unknown>, op: string): Promise<void> {
  const before = tab.documents;
  const response = await go();
  if (response === null && tab.documents === before)
    throw new BrowserFailure('refused', `There is no page to go ${op} to`);
}

/** Browser errors that occur before the request is sent. */
const unsent =
  /ERR_(?:NAME_|CONNECTION_REFUSED|CONNECTION_TIMED_OUT|TUNNEL_|PROXY_|ADDRESS_|CERT_|SSL_|BLOCKED_|INVALID_URL|UNKNOWN_URL|UNSAFE_PORT|INTERNET_)/;

/** The request may have had effects although no page came back. */
class MaybeDone extends Error {}

function notShown(reason: string, sent: boolean): Error {
  if (!sent) return new BrowserFailure('refused', `The page cannot be shown: ${reason}`);
  return new MaybeDone(
    `The page cannot be shown: ${reason}. The request was sent; whether it had an effect is not known`,
  );
}

/**
 * Loads a page. Refuses if the guard blocked it, if it is unreachable, or if it is a download. Throws `MaybeDone` if a
 * failed request may have reached the server.
 */
async function load(
  { guard }: CommandScope,
  { page }: Tab,
  go: () => Promise<Response | null>,
): Promise<void> {
  const begun = Date.now();
  const noted = () =>
    [...guard.refusals.map((one) => ({ ...one, sent: false })), ...guard.failures].filter(
      ({ at }) => at >= begun,
    );
  try {
    const answer = await go();
    // Some browsers show the guard's empty response as a page, others fail.
    const byGuard = answer && guardStatuses.has(answer.status());
    const found = byGuard && noted().findLast(({ url }) => url === answer.url());
    if (found) throw notShown(found.reason, found.sent);
    await page.waitForLoadState('load', { timeout: resourceTimeout }).catch(() => {});
  } catch (error) {
    const line = firstLine(error);
    if (/ERR_ABORTED|Download is starting|interrupted by another navigation/.test(line))
      throw new BrowserFailure(
        'refused',
        'The page was not opened: the URL is a download or redirected at once',
      );
    if (/net::|chrome-error/.test(line)) {
      // Waits for the browser's error page, so that the next command finds it in place.
      await page.waitForURL('chrome-error:**', { timeout: 1_000, waitUntil: 'commit' }).catch(() => {});
      const found = noted().at(-1);
      throw notShown(found?.reason ?? line, found ? found.sent : !unsent.test(line));
    }
    throw error;
  }
}

async function actOn(
  { tabs }: CommandScope,
  tab: Tab,
  command: ActCommand,
  begin: () => void,
): Promise<void> {
  const { expectedState, verb, value } = command;
  if (expectedState !== undefined && expectedState !== stateOf(tab) && expectedState !== tab.page.url())
    throw new BrowserFailure('refused', 'The page has changed since. Observe it again');
  if (verb.endsWith('_tab') || verb.endsWith('_dialog')) begin();
  if (verb === 'close_tab') return tabs.close(tab);
  if (verb === 'activate_tab') return tabs.activate(tab);
  if (verb === 'accept_dialog' || verb === 'dismiss_dialog') {
    if (await tab.dialogs.answer(verb === 'accept_dialog', value)) return;
    throw new BrowserFailure('refused', 'No dialog is open');
  }
  await act(tab.page, command, begin);
}

/** A failed observation does not change the result of the command. */
async function observeAfterwards(
  scope: CommandScope,
  tab: Tab,
  command: BrowserCommand,
  ends: number,
): Promise<Partial<CommandResult>> {
  const mode: ObserveAfter = ('observeAfter' in command ? command.observeAfter : undefined) ?? 'none';
  if (mode === 'none' || tab.page.isClosed()) return {};
  try {
    const look = () => observe(tab, { op: 'observe', mode }, scope).then((observation) => ({ observation }));
    const outcome = await race(scope, tab, ends, look);
    return 'done' in outcome ? outcome.done : { ...('lost' in outcome && { reason: outcome.lost }) };
  } catch (error) {
    return { reason: firstLine(error) };
  }
}

async function describe(
  { tabs }: CommandScope,
  tab: Tab | undefined,
  outcome: Partial<CommandResult> & Pick<CommandResult, 'result'>,
): Promise<CommandResult> {
  const dialog = tab?.dialogs.open;
  const busy = dialog !== undefined || outcome.result === 'unknown' || !tab || tab.page.isClosed();
  return {
    tabId: tab?.id ?? '',
    url: tab?.page.url().slice(0, 8192) ?? '',
    title: busy ? '' : await titleOf(tab),
    state: tab ? stateOf(tab) : '',
    tabs: tabs.list(),
    ...(dialog && { dialog: { ...dialog } }),
    ...outcome,
  };
}

/** Milliseconds to wait for the title of a page, which is reported as empty afterwards. */
const titleTimeout = 2_000;

async function titleOf({ page }: Tab): Promise<string> {
  const title = await withTimeout(
    titleTimeout,
    page.title().catch(() => ''),
    () => '',
  );
  return title.slice(0, 300);
}

function stateOf({ id, documents }: Tab): string {
  return `${id}:${documents}`;
}

/** Errors of the library quote pages after the first line. */
function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split('\n')[0]
    ?.slice(0, 500) as string;
}
