import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyColor } from './shell/face.ts'
import { keepUpToDate } from './shell/up-to-date.ts'

keepUpToDate()
applyColor()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
