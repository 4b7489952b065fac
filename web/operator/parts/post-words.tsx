import { useState } from 'react'
import {
  capital,
  DEFAULT_VOCABULARY,
  MAX_VOCABULARY_CHARACTERS,
  VOCABULARIES,
  vocabularyOf,
} from '../../../src/kernel/protocol/vocabulary.ts'
import { t } from '../../shared/messages.ts'

const OTHER = 'other'

type Props = { value: string; onChange: (words: string) => void }

/** How this server calls what its members write: a few usual words, or six others. */
export function PostWords({ value, onChange }: Props) {
  const isUsual = value === '' || (VOCABULARIES as readonly string[]).includes(value)
  const [isOther, setOther] = useState(!isUsual)
  return (
    <div>
      <label className="field">
        <span>{t('Posts are called')}</span>
        <select
          value={isOther ? OTHER : value || DEFAULT_VOCABULARY}
          onChange={({ target }) => {
            setOther(target.value === OTHER)
            if (target.value !== OTHER) onChange(target.value)
          }}
        >
          {VOCABULARIES.map((words) => (
            <option key={words} value={words}>
              {shownAs(words)}
            </option>
          ))}
          <option value={OTHER}>{t('Other words …')}</option>
        </select>
      </label>
      {isOther && (
        <label className="field">
          <span>
            {t(
              'Six words: one, many, the verb, passing one on, many of that, and its past, with commas',
            )}
          </span>
          <input
            value={value}
            maxLength={MAX_VOCABULARY_CHARACTERS}
            placeholder={DEFAULT_VOCABULARY}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
        </label>
      )}
      <p className="muted">
        {t(
          'On every page and in notifications. Interfaces for programs keep the words of the protocol.',
        )}
      </p>
    </div>
  )
}

function shownAs(words: string): string {
  const { post, posts, repost } = vocabularyOf(words)
  return `${capital(post)}, ${posts}; ${repost}`
}
