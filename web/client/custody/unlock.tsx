import { type FormEvent, useState } from 'react'
import { Busy, Notice } from '../../shared/page.tsx'
import { Text } from '../act/text-field.tsx'
import {
  type Opened,
  openAccountByPasskey,
  openAccountByPassword,
  openAccountByWords,
  textOf,
} from './open.ts'
import { mayUsePasskeys } from './passkey.ts'

type Props = {
  /** The account, where it is known. */
  fid?: number
  /** Its promise rejects when the key is of no use. */
  onOpened: (opened: Opened) => Promise<void> | void
}

/** Opens the custody key of an account: by a passkey, a password, or the 12 words. */
export function Unlock({ fid, onOpened }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = async (open: () => Promise<Opened>) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onOpened(await open())
    } catch (error) {
      setProblem(textOf(error))
    }
    setBusy(false)
  }
  return (
    <fieldset className="fields unlock" disabled={isBusy}>
      <legend className="unseen">Ways to sign in</legend>
      {mayUsePasskeys() && (
        <button type="button" className="primary" onClick={() => run(openAccountByPasskey)}>
          Use a passkey
        </button>
      )}
      <PasswordForm
        fid={fid}
        onSubmit={(name, password) => run(() => openAccountByPassword(fid ?? name, password))}
      />
      <WordsForm onSubmit={(words) => run(() => openAccountByWords(words))} />
      {isBusy && <Busy>One moment …</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
    </fieldset>
  )
}

type PasswordProps = { fid: number | undefined; onSubmit: (name: string, password: string) => void }

function PasswordForm({ fid, onSubmit }: PasswordProps) {
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
          label="Your name"
          help="As others see it, without the @."
          value={name}
          maxLength={32}
          autoComplete="username"
          onChange={setName}
        />
      )}
      <Text
        label="Password"
        help="The one of this account."
        value={password}
        maxLength={256}
        type="password"
        autoComplete="current-password"
        onChange={setPassword}
      />
      <button
        type="submit"
        className="secondary"
        disabled={password === '' || (fid === undefined && name === '')}
      >
        Use the password
      </button>
    </form>
  )
}

function WordsForm({ onSubmit }: { onSubmit: (words: string) => void }) {
  const [words, setWords] = useState('')
  return (
    <details>
      <summary>12 words</summary>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(words)
        }}
      >
        <Text
          label="Your recovery words"
          help="Only ever type them here: no message, person or other page needs them."
          value={words}
          maxLength={256}
          type="password"
          onChange={setWords}
        />
        <button type="submit" className="secondary" disabled={words.trim() === ''}>
          Use the words
        </button>
      </form>
    </details>
  )
}
