import { askEarly } from './ask-early.ts';

/** In parts, so that the page can answer its reader in between. */
async function start(): Promise<void> {
  await import('react-dom/client');
  await import('@tanstack/react-router');
  await import('./draw.tsx');
}

// The code that draws is large; what it will show is asked for while it is on its way.
askEarly(location.pathname);
start().catch(() => {
  const app = document.getElementById('app') as HTMLElement;
  app.textContent =
    'The console could not be loaded. Reload this page. If that does not help, check that the service is running.';
});
