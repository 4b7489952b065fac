import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isFrontDoor } from './api.ts'
import { AccountRoom, Room } from './room.tsx'

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      {isFrontDoor ? <AccountRoom /> : <Room />}
    </QueryClientProvider>
  </StrictMode>,
)
