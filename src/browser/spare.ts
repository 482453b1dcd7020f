import type { BrowserSession, OpenedPage } from './session.ts';
import type { SharedBrowser } from './shared-browser.ts';

/** Milliseconds that a session is kept for whoever comes. */
const idle = 20_000;

/** What has to be the same for a session to do for somebody else. */
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
 * One session that nobody has used, opened beside other work: opening is mostly waiting for a process. Whoever comes
 * next gets it; when nobody comes it goes.
 */
export class SpareSession {
  private kept: Kept | undefined;

  /** The one that is kept, if it is as wanted. */
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

  /** Opens one, unless there is one. */
  prepare(setting: Setting, open: () => Promise<BrowserSession>): void {
    if (this.kept) return;
    const session = open().catch(() => undefined);
    this.kept = { ...setting, session, idling: setTimeout(() => void this.drop(), idle).unref() };
  }

  async drop(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    clearTimeout(kept?.idling);
    await (await kept?.session)?.close();
  }
}
