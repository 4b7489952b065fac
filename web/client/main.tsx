import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyColor } from '../shared/face.ts'
import { App } from './app.tsx'
import { keepVisit } from './session/visit.ts'
import { keepUpToDate } from './shell/up-to-date.ts'

keepUpToDate()
keepVisit()
applyColor()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
