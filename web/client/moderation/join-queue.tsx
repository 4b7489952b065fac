import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { findKey } from '../act/key-store.ts'
import { Failed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform } from './calls.ts'
import { isoTime } from './words.ts'

// People who wait to be let in.

export type JoinRequest = {
  readonly address: string
  readonly called: string
  readonly reason: string
  /** Unix seconds. */
  readonly askedAt: number
}
export type Joins = { readonly requests: readonly JoinRequest[] }

const MAX_ANSWER_CHARACTERS = 1_000

/** A server whose accounts are kept elsewhere has no such queue. */
export const without = (error: { status?: number }): Joins => {
  if (error.status === 404) return { requests: [] }
  throw error
}

export function JoinQueue({ requests }: { requests: readonly JoinRequest[] }) {
  if (requests.length === 0) return null
  return (
    <>
      <h2>People who ask to join</h2>
      <ul className="cards">
        {requests.map((one) => (
          <JoinCard key={`${one.address} ${one.askedAt}`} request={one} />
        ))}
      </ul>
    </>
  )
}

function JoinCard({ request: { address, called, reason, askedAt } }: { request: JoinRequest }) {
  const { fid } = useSession()
  const queries = useQueryClient()
  const [answer, setAnswer] = useState('')
  const decide = useMutation({
    mutationFn: async (what: 'approve' | 'decline') => {
      const key = await findKey(fid!)
      if (!key) throw new Error('Sign in again: this browser has no key of your account.')
      const text = answer.trim()
      const body = { askedAt, ...(text && { answer: text }) }
      await callPlatform(key, `/joining/requests/${address}/${what}`, body)
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <li className="card">
      <p>
        <strong dir="auto">{cleanText(called)}</strong>{' '}
        <span className="muted">
          asked <Time at={isoTime(askedAt)} />
        </span>
      </p>
      <p dir="auto" className="cast-text">
        {cleanText(reason)}
      </p>
      <Field label="Answer" help="The person reads it. To decline, say why.">
        {(id, help) => (
          <textarea
            id={id}
            rows={2}
            maxLength={MAX_ANSWER_CHARACTERS}
            value={answer}
            aria-describedby={help}
            onChange={({ target }) => setAnswer(target.value)}
          />
        )}
      </Field>
      {decide.error && <Failed error={decide.error} />}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={decide.isPending}
          onClick={() => decide.mutate('approve')}
        >
          Let in
        </button>
        <button
          type="button"
          className="secondary"
          disabled={decide.isPending || !answer.trim()}
          onClick={() => decide.mutate('decline')}
        >
          Decline
        </button>
      </div>
    </li>
  )
}
