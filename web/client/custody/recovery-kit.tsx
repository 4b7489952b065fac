import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import './custody.css'

/** What is printed or kept in a safe place: the words, and what they are for. */
const kitText = (words: string, name: string) => {
  const numbered = words.split(' ').map((word, at) => `${String(at + 1).padStart(2)}. ${word}`)
  const { host, origin } = location
  return [
    t('Recovery kit of @{name} at {host}', { name, host }),
    t('Made on {date}', { date: new Date().toISOString().slice(0, 10) }),
    '',
    ...numbered,
    '',
    t(
      'Whoever has these 12 words has the account. Keep them offline, and show them to nobody: no helper, operator or app ever needs them.',
    ),
    '',
    t('To get back in: open {address} and choose “12 words”.', {
      address: `${origin}/join/sign-in`,
    }),
    t('They also work in any Ethereum wallet (path {path}).', { path: "m/44'/60'/0'/0/0" }),
    '',
  ].join('\n')
}

type Props = { words: string; name: string; onSaved?: () => void }

/** The 12 words, with ways to save them. */
export function RecoveryKit({ words, name, onSaved }: Props) {
  const [isSaved, setSaved] = useState(false)
  const saved = () => {
    setSaved(true)
    onSaved?.()
  }
  const download = () => {
    const url = URL.createObjectURL(new Blob([kitText(words, name)], { type: 'text/plain' }))
    const link = Object.assign(document.createElement('a'), {
      href: url,
      download: `recovery-kit-${name}.txt`,
    })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
    saved()
  }
  return (
    <div className="kit">
      <ol className="words">
        {words.split(' ').map((word, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice
          <li key={at}>{word}</li>
        ))}
      </ol>
      <Notice tone="warn">
        {t('Whoever has these words has your account. Nobody here will ever ask you for them.')}
      </Notice>
      <p className="buttons">
        <button type="button" className="primary" onClick={download}>
          {t('Download recovery kit')}
        </button>
        <button type="button" className="secondary" onClick={saved}>
          {t('I have written them down')}
        </button>
      </p>
      {isSaved && (
        <Notice tone="good">{t('Saved. Keep it in a safe place, not only on this device.')}</Notice>
      )}
    </div>
  )
}
