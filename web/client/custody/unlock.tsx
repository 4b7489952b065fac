import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { Field } from '../act/field.tsx'
import { Text } from '../act/text-field.tsx'
import {
  hasPassword,
  type Opened,
  openAccountByPasskey,
  openAccountByPassword,
  openAccountByWords,
  textOf,
} from './open.ts'
import { mayUsePasskeys } from './passkey.ts'
import './custody.css'

type Props = {
  /** The account, where it is known. */
  fid?: number
  /** Whether the account has come back to words just now: nothing else opens it. */
  isByWords?: boolean
  /** Its promise rejects when the key is of no use. */
  onOpened: (opened: Opened) => Promise<void> | void
}

type Way = 'passkey' | 'password' | 'words'

/** Opens the custody key of an account: by a passkey, a password, or the 12 words. */
export function Unlock({ fid, isByWords = false, onOpened }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [tried, setTried] = useState<Way>()
  const isPasswordAsked = useIsPasswordAsked(fid)
  const isWordsLeft = isPasswordAsked === false && !mayUsePasskeys()
  const run = async (way: Way, open: () => Promise<Opened>) => {
    setTried(way)
    setBusy(true)
    setProblem(undefined)
    try {
      await onOpened(await open())
    } catch (error) {
      setProblem(textOf(error))
    }
    setBusy(false)
  }
  const outcomeOf = (way: Way) => way === tried && <Outcome isBusy={isBusy} problem={problem} />
  return (
    <fieldset className="fields unlock" disabled={isBusy}>
      <legend className="unseen">{t('Ways to sign in')}</legend>
      {mayUsePasskeys() && (
        <button
          type="button"
          className="primary"
          onClick={() => run('passkey', openAccountByPasskey)}
        >
          {t('Use a passkey')}
        </button>
      )}
      {outcomeOf('passkey')}
      {isPasswordAsked && (
        <PasswordForm
          fid={fid}
          onSubmit={(name, password) =>
            run('password', () => openAccountByPassword(fid ?? name, password))
          }
          outcome={outcomeOf('password')}
        />
      )}
      <WordsForm
        isOpen={isByWords || isWordsLeft}
        onSubmit={(words) => run('words', () => openAccountByWords(words))}
        outcome={outcomeOf('words')}
      />
    </fieldset>
  )
}

/** Nobody is asked for a password that the account does not have, where it is known; undefined until that is found out. */
function useIsPasswordAsked(fid: number | undefined): boolean | undefined {
  const [isAsked, setAsked] = useState(fid === undefined ? true : undefined)
  useEffect(() => {
    if (fid === undefined) return
    // Without an answer it may have one.
    hasPassword(fid).then(setAsked, () => setAsked(true))
  }, [fid])
  return isAsked
}

/** How it goes, beside the way that was tried: the keyboard of a phone leaves little of the page in view. */
function Outcome({ isBusy, problem }: { isBusy: boolean; problem: string | undefined }) {
  const place = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is said anew is shown anew
  useEffect(() => {
    // Chromium returns a promise here, which React would take for a cleanup.
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [isBusy, problem])
  return (
    <div ref={place}>
      {isBusy && <Busy>{t('One moment …')}</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
    </div>
  )
}

type PasswordProps = {
  fid: number | undefined
  onSubmit: (name: string, password: string) => void
  outcome: ReactNode
}

function PasswordForm({ fid, onSubmit, outcome }: PasswordProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(name, password)
  }
  return (
    <form className="fields" onSubmit={submit}>
      {fid === undefined && (
        <Text
          label={t('Your name')}
          help={t('As others see it, without the @.')}
          value={name}
          maxLength={32}
          autoComplete="username"
          onChange={setName}
        />
      )}
      <Text
        label={t('Password')}
        help={t('The password of this account.')}
        value={password}
        maxLength={256}
        type="password"
        autoComplete="current-password"
        onChange={setPassword}
      />
      {outcome}
      <button
        type="submit"
        className="secondary"
        disabled={password === '' || (fid === undefined && name === '')}
      >
        {t('Use the password')}
      </button>
    </form>
  )
}

type WordsProps = {
  onSubmit: (words: string) => void
  outcome: ReactNode
  /** Whether it is the way that is known to work. */
  isOpen: boolean
}

function WordsForm({ onSubmit, outcome, isOpen }: WordsProps) {
  const [words, setWords] = useState('')
  const [isShown, setShown] = useState(false)
  return (
    <details open={isOpen}>
      <summary>{t('12 words')}</summary>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(words)
        }}
      >
        <Field
          label={t('Your recovery words')}
          help={t(
            'Only ever type them here: no message, person or other page needs them. Capitals, numbers and lines do not matter.',
          )}
        >
          {(id, help) => (
            <textarea
              id={id}
              className={isShown ? 'typed-words' : 'typed-words masked'}
              rows={3}
              value={words}
              maxLength={512}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              aria-describedby={help}
              onChange={({ target }) => setWords(target.value)}
            />
          )}
        </Field>
        <button
          type="button"
          className="link"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t('Hide the words') : t('Show the words')}
        </button>
        {outcome}
        <button type="submit" className="secondary" disabled={words.trim() === ''}>
          {t('Use the words')}
        </button>
      </form>
    </details>
  )
}
