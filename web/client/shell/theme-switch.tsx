import { useSyncExternalStore } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'

const KEY = 'rookery.theme'
const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const
const ICONS = { system: 'contrast', light: 'sun', dark: 'moon' } as const
type Theme = keyof typeof NEXT
const TEXTS = {
  system: t('Theme: system'),
  usual: t('Theme: usual'),
  light: t('Theme: light'),
  dark: t('Theme: dark'),
} as const

/** The owner of the server may have chosen dark for who has not chosen. */
const isDarkFirst = document.documentElement.dataset.tone === 'dark'

const CHANGED = 'rookery-theme'
const follow = (changed: () => void) => {
  addEventListener(CHANGED, changed)
  return () => removeEventListener(CHANGED, changed)
}

/** Goes through the themes: that of the system, light, dark. */
export function ThemeSwitch({ className = 'quiet' }: { className?: string }) {
  const theme = useSyncExternalStore(follow, currentTheme)
  const change = () => {
    keepTheme(NEXT[theme])
    dispatchEvent(new Event(CHANGED))
  }
  return (
    <button type="button" className={className} onClick={change}>
      <Icon name={ICONS[theme]} />
      <span>{TEXTS[theme === 'system' && isDarkFirst ? 'usual' : theme]}</span>
    </button>
  )
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** theme.js applies it before the next page is drawn. */
function keepTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {}
}
