import { lazy, Suspense, useState } from 'react'
import { t } from '../../shared/messages.ts'

/** The server says so in the page, so that other pages need not ask. */
export const isDevelopment = () => document.querySelector('meta[name="rookery-mode"]') !== null

/** Servers for people never load them. */
const DevelopmentTools = lazy(async () => {
  const { DevelopmentTools } = await import('../act/development.tsx')
  return { default: DevelopmentTools }
})

/** The helpers of a development network, folded. */
export function DevelopmentPanel() {
  const [isOpen, setOpen] = useState(false)
  if (!isDevelopment()) return null
  return (
    <details
      className="panel development"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{t('Development network')}</summary>
      {isOpen && (
        <Suspense>
          <DevelopmentTools />
        </Suspense>
      )}
    </details>
  )
}
