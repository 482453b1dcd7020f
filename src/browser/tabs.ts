import type { BrowserContext, Frame, Page, Request } from 'playwright-core';
import { Dialogs } from './dialogs.ts';
import { BrowserFailure } from './failure.ts';
import type { Logs } from './logs.ts';

const maxTabs = 10;
/** Milliseconds that a dialog waits for an answer. */
const dialogPatience = 30_000;

export interface Tab {
  id: string;
  page: Page;
  dialogs: Dialogs;
  /** Number of documents shown. */
  documents: number;
  /** Settles with the reason when the page is gone. */
  gone: Promise<string>;
}

/** URLs that a tab may show. A tab with another one, such as `file:`, is closed, because the guard does not see it. */
const harmless = /^(?:https?:|about:blank|about:srcdoc|blob:https?:|chrome-error:)/;

/** The tabs of a session. Windows opened by pages become tabs, up to a limit. */
export class Tabs {
  private readonly context: BrowserContext;
  private readonly logs: Logs;
  private readonly tabs = new Map<string, Tab>();
  private readonly byPage = new Map<Page, Tab>();
  private activeId: string | undefined;
  private made = 0;
  onOpened: (tab: Tab) => void = () => {};

  constructor(context: BrowserContext, logs: Logs) {
    this.context = context;
    this.logs = logs;
    logs.watch(context, (request) => this.idOfRequest(request));
    context.on('page', (page) => this.adopt(page));
    context.on('weberror', (problem) => {
      this.logs.write(this.idOf(problem.page()), 'error', problem.error().message);
    });
    context.on('console', (message) => {
      this.logs.write(this.idOf(message.page()), message.type(), message.text());
    });
    // Without a listener, the library dismisses dialogs itself.
    context.on('dialog', (dialog) => {
      const page = dialog.page();
      const tab = page && this.byPage.get(page);
      if (tab) tab.dialogs.receive(dialog);
      else void dialog.dismiss().catch(() => {});
    });
  }

  private idOf(page: Page | null): string {
    return (page && this.byPage.get(page)?.id) ?? '';
  }

  /** The tab of a request. Requests of workers and of pages that are still opening have none. */
  private idOfRequest(request: Request): string {
    try {
      return this.idOf(request.frame().page());
    } catch {
      return '';
    }
  }

  list(): { tabId: string; url: string; active: boolean }[] {
    return [...this.tabs.values()].map(({ id, page }) => ({
      tabId: id,
      url: page.url().slice(0, 8192),
      active: id === this.activeId,
    }));
  }

  get all(): Tab[] {
    return [...this.tabs.values()];
  }

  /** The tab with the ID. Without an ID, the active tab, any other tab, or a new one. */
  async pick(tabId?: string): Promise<Tab> {
    if (tabId !== undefined) {
      const tab = this.tabs.get(tabId);
      if (!tab)
        throw new BrowserFailure(
          'refused',
          `There is no tab ${tabId}; the answer to a command lists the tabs`,
        );
      return tab;
    }
    const active = this.activeId === undefined ? undefined : this.tabs.get(this.activeId);
    return active ?? this.tabs.values().next().value ?? this.open();
  }

  async open(): Promise<Tab> {
    if (this.tabs.size >= maxTabs)
      throw new BrowserFailure('refused', `The session has the maximum of ${maxTabs} tabs. Close one first`);
    const page = await this.context.newPage();
    const tab = this.adopt(page);
    if (!tab) throw new BrowserFailure('refused', `The session has the maximum of ${maxTabs} tabs`);
    this.activeId = tab.id;
    return tab;
  }

  async activate(tab: Tab): Promise<void> {
    await tab.page.bringToFront();
    this.activeId = tab.id;
  }

  async close(tab: Tab): Promise<void> {
    this.remove(tab);
    await tab.page.close();
  }

  private adopt(page: Page): Tab | undefined {
    const known = this.byPage.get(page);
    if (known) return known;
    if (this.tabs.size >= maxTabs) {
      this.logs.write('', 'warning', `A page tried to open another tab; the maximum is ${maxTabs}`);
      void page.close().catch(() => {});
      return undefined;
    }
    let end = (_reason: string): void => {};
    const gone = new Promise<string>((resolve) => {
      end = resolve;
    });
    const tab: Tab = {
      id: `t${++this.made}`,
      page,
      dialogs: new Dialogs(dialogPatience),
      documents: 0,
      gone,
    };
    this.tabs.set(tab.id, tab);
    this.byPage.set(page, tab);
    this.activeId ??= tab.id;
    page.on('close', () => {
      this.remove(tab);
      end('the tab was closed');
    });
    page.on('crash', () => {
      this.logs.write(tab.id, 'error', 'The page crashed');
      this.remove(tab);
      end('the page crashed');
      void page.close().catch(() => {});
    });
    page.on('framenavigated', (frame) => this.navigated(tab, frame));
    this.onOpened(tab);
    return tab;
  }

  private navigated(tab: Tab, frame: Frame): void {
    if (frame.parentFrame() !== null) return;
    tab.documents++;
    if (harmless.test(frame.url()) || frame.url() === '') return;
    this.logs.write(tab.id, 'warning', `The tab was closed: ${frame.url().slice(0, 200)} is not shown`);
    void this.close(tab).catch(() => {});
  }

  private remove(tab: Tab): void {
    tab.dialogs.forget();
    this.tabs.delete(tab.id);
    this.byPage.delete(tab.page);
    if (this.activeId === tab.id) this.activeId = [...this.tabs.keys()].at(-1);
  }
}
