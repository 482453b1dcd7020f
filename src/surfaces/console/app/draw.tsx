import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryProvider } from './api/cache.ts';
import { Toasts } from './kit/toast.tsx';
import { router } from './routes.tsx';
import './base.css';

/** Milliseconds after which the page renders with what has loaded. */
const maxWait = 1000;

const root = createRoot(document.getElementById('app') as HTMLElement);

const page = (
  <StrictMode>
    {/* The Content Security Policy forbids style elements; their rules are in base.css. */}
    <CSPProvider disableStyleElements>
      <QueryProvider>
        <RouterProvider router={router} />
        <Toasts />
      </QueryProvider>
    </CSPProvider>
  </StrictMode>
);

// Renders once code and data are loaded, instead of an empty frame first. A transition renders in slices, so
// that the page stays responsive meanwhile.
const soon = new Promise((resolve) => setTimeout(resolve, maxWait));
void Promise.race([router.load(), soon]).finally(() => startTransition(() => root.render(page)));
