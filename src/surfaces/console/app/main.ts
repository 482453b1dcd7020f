import { askEarly } from './ask-early.ts';

/** Loads in steps, so that the page stays responsive in between. */
async function start(): Promise<void> {
  await import('react-dom/client');
  await import('@tanstack/react-router');
  await import('./draw.tsx');
}

// Fetches the page's data while the code loads.
askEarly(location.pathname);
start().catch(() => {
  const app = document.getElementById('app') as HTMLElement;
  app.textContent =
    'The console could not be loaded. Reload this page. If that does not help, check that the service is running.';
});
