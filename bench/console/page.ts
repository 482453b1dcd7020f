import type { BrowserContext, Page } from 'playwright-core';

interface Watched {
  usableAt?: number;
  longestTask: number;
}

/** Notes in every page of the window when the first trial can be clicked. */
const noteWhenUsable = `
  globalThis.watched = { longestTask: 0 };
  const look = () => {
    if (watched.usableAt === undefined && document.querySelector('a[data-trial]'))
      requestAnimationFrame(() => setTimeout(() => {
        if (watched.usableAt !== undefined) return;
        watched.usableAt = performance.now();
        console.debug('usable');
      }));
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
`;

/** Milliseconds from the navigation until trials can be clicked. The window is closed. */
export async function opened(window: BrowserContext, address: string): Promise<number> {
  await window.addInitScript(noteWhenUsable);
  const page = await window.newPage();
  // Told by the page, since asking it would slow it down.
  await Promise.all([
    page.waitForEvent('console', (message) => message.text() === 'usable'),
    page.goto(address, { waitUntil: 'commit' }),
  ]);
  const { usableAt } = await watchedIn(page);
  await window.close();
  return usableAt as number;
}

/** Notes the longest stretch in which the page could not answer its reader. */
export async function watchTasks(window: BrowserContext): Promise<void> {
  await window.addInitScript(`
    globalThis.watched = { longestTask: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watched.longestTask = Math.max(watched.longestTask, duration);
    }).observe({ type: 'longtask', buffered: true });
  `);
}

/** From the head of a run to its last case, a good part of a screen at a time. The window is closed. */
export async function scrolled(
  window: BrowserContext,
  address: string,
): Promise<{ longestTask: number; blanks: number }> {
  const page = await window.newPage();
  await page.goto(address);
  await page.locator('a[data-trial]').first().waitFor();
  await page.mouse.move(700, 700);
  let blanks = 0;
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, 600);
    const { blank, atEnd } = await page.evaluate<{ blank: boolean; atEnd: boolean }>(`new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const scroller = document.getElementById('page');
        const under = document.elementFromPoint(500, 700);
        resolve({
          blank: !under?.closest('[role="row"]') && scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 300,
          atEnd: scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1,
        });
      })))`);
    if (blank) blanks += 1;
    if (atEnd) break;
  }
  // The browser reports only tasks of at least 50 ms.
  const { longestTask } = await watchedIn(page);
  await window.close();
  return { longestTask: Math.max(longestTask, 50), blanks };
}

async function watchedIn(page: Page): Promise<Watched> {
  return page.evaluate<Watched>('watched');
}
