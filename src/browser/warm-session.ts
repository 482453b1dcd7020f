import type { BrowserSession, OpenedPage } from './session.ts';
import type { SharedBrowser } from './shared-browser.ts';

/** Milliseconds that an unused session is kept. */
const idleTimeout = 20_000;

/** The properties in which a warm session must match a request. */
export interface Setting {
  browser: SharedBrowser;
  page: OpenedPage | undefined;
  width: number;
  height: number;
}

interface Kept extends Setting {
  session: Promise<BrowserSession | undefined>;
  idling: NodeJS.Timeout;
}

/**
 * Keeps one unused session open for the next request, because opening takes long, mostly waiting for a process. Closed
 * when it is not used in time.
 */
export class WarmSession {
  private kept: Kept | undefined;

  /** Returns the session if it matches, otherwise closes it. */
  async take(wanted: Setting): Promise<BrowserSession | undefined> {
    const { kept } = this;
    if (!kept) return undefined;
    const fits = (['browser', 'page', 'width', 'height'] as const).every(
      (name) => kept[name] === wanted[name],
    );
    if (!fits) return void this.drop();
    this.kept = undefined;
    clearTimeout(kept.idling);
    const session = await kept.session;
    return session?.isOpen ? session : undefined;
  }

  /** Opens a session, unless one is already kept. */
  prepare(setting: Setting, open: () => Promise<BrowserSession>): void {
    if (this.kept) return;
    const session = open().catch(() => undefined);
    this.kept = { ...setting, session, idling: setTimeout(() => void this.drop(), idleTimeout).unref() };
  }

  async drop(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    clearTimeout(kept?.idling);
    await (await kept?.session)?.close();
  }
}
