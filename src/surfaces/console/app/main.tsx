import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/ask.ts';
import './base.css';
import { Toasts } from './kit/toast.tsx';
import { router } from './routes.tsx';

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    {/* The policy of the page allows no style elements; what they would say is in base.css. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
