import { askEarly } from './ask-early.ts';

/** In parts, so that the page can answer its reader in between. */
async function start(): Promise<void> {
  await import('react-dom/client');
  await import('@tanstack/react-router');
  await import('./draw.tsx');
}

// The code that draws is large; what it will show is asked for while it is on its way.
askEarly(location.pathname);
void start();
