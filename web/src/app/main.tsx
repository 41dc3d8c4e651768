import '../styles/tokens.css';
import '../styles/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery, signInByAddress } from '../api/session.ts';
import { Toasts } from '../ui/Toasts.tsx';
import { Tooltips } from '../ui/Tooltips.tsx';
import { router } from './routes.tsx';

await signInByAddress();
void queryClient.prefetchQuery(sessionQuery); // while the code of the page is loaded
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    {/* The content security policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
        <Tooltips />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
