import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import './custody.css'

/** What is printed or kept in a safe place: the words, and what they are for. */
const kitText = (words: string, name: string) =>
  `${t(
    "Recovery kit of @{name} at {host}\nMade on {toISOString}\n\n{map}\n\nWhoever has these 12 words has the account. Keep them offline, and show them to nobody:\nno helper, operator or app ever needs them.\n\nTo get back in: open {origin}/join/sign-in and choose \"12 words\".\nThey also work in any Ethereum wallet (path m/44'/60'/0'/0/0).",
    {
      name,
      host: location.host,
      toISOString: new Date().toISOString().slice(0, 10),
      map: words
        .split(' ')
        .map((word, at) => `${String(at + 1).padStart(2)}. ${word}`)
        .join('\n'),
      origin: location.origin,
    },
  )} `

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
