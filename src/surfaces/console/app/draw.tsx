import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryProvider } from './api/cache.ts';
import { Toasts } from './kit/toast.tsx';
import { router } from './routes.tsx';
import './base.css';

/** Milliseconds after which the page is drawn with what has loaded. */
const patience = 1000;

const root = createRoot(document.getElementById('app') as HTMLElement);

const page = (
  <StrictMode>
    {/* The policy of the page allows no style elements; what they would say is in base.css. */}
    <CSPProvider disableStyleElements>
      <QueryProvider>
        <RouterProvider router={router} />
        <Toasts />
      </QueryProvider>
    </CSPProvider>
  </StrictMode>
);

// A page whose code and answers are there is drawn once, instead of as an empty frame first; as a transition, which is
// done in slices, so that the reader can click meanwhile.
const soon = new Promise((resolve) => setTimeout(resolve, patience));
void Promise.race([router.load(), soon]).finally(() => startTransition(() => root.render(page)));
