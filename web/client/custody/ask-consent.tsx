import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { findKey } from '../act/key-store.ts'
import { STANDING } from '../moderation/calls.ts'
import { useSession } from '../session/session.tsx'
import { agree, useTerms } from './consent.ts'
import { ConsentFields, isAgreed, NOTHING_AGREED } from './consent-fields.tsx'

/** Asks a member for the consent to rules that are new or have changed. */
export default function AskConsent() {
  const terms = useTerms()
  const { fid } = useSession()
  const queries = useQueryClient()
  const [agreed, setAgreed] = useState(NOTHING_AGREED)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const key = fid === undefined ? undefined : await findKey(fid)
      if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
      await agree(key, terms!)
      await queries.invalidateQueries({ queryKey: STANDING })
    } catch (error) {
      // The fields say so, once they have the rules of now.
      const hasChanged = error instanceof Refusal && error.reason === 'changed_meanwhile'
      if (hasChanged) await queries.invalidateQueries({ queryKey: ['server'] })
      else setProblem((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <form className="fields" onSubmit={submit}>
      <p>{t('Before you write, read the rules of this server. They are new, or have changed.')}</p>
      <fieldset className="fields" disabled={isBusy}>
        <legend className="unseen">{t('Your consent')}</legend>
        <ConsentFields terms={terms} agreed={agreed} onChange={setAgreed} />
      </fieldset>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button
        type="submit"
        className="primary"
        disabled={isBusy || !terms || !isAgreed(terms, agreed)}
      >
        {t('Agree')}
      </button>
    </form>
  )
}
