import { useState } from 'react'
import { useLocation } from 'react-router'
import { face } from '../../shared/face.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { metaLang } from '../../shared/meta-lang.ts'
import { cleanText } from '../../shared/text.ts'
import './announcement.css'

// What the operator tells everybody, above Home.

const KEY = 'rookery.announcement'

/** The notice that was put aside in this browser. */
const dismissed = (): string | null => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export function Announcement() {
  const { pathname } = useLocation()
  const [isGone, setGone] = useState(() => dismissed() === face.announcement)
  if (face.announcement === '' || isGone || pathname !== '/') return null
  const dismiss = () => {
    setGone(true)
    try {
      localStorage.setItem(KEY, face.announcement)
    } catch {}
  }
  return (
    <section className="announcement" aria-label={t('Announcement')}>
      <p lang={metaLang('announcement')} dir="auto">
        {cleanText(face.announcement)}
      </p>
      <button type="button" className="icon-button" aria-label={t('Put aside')} onClick={dismiss}>
        <Icon name="cross" />
      </button>
    </section>
  )
}
