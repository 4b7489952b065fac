import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cleanText } from '../../shared/text.ts'
import { ask } from '../api.ts'
import { Loaded, Section } from '../parts/section.tsx'
import { timeText } from '../text.ts'

type JoinRequest = {
  readonly address: string
  readonly called: string
  readonly reason: string
  readonly askedAt: number
}
type Joins = { readonly requests: readonly JoinRequest[] }

const MAX_ANSWER_CHARACTERS = 1_000

/** People who wait to be let in. */
export function JoinRequestsScreen() {
  const query = useQuery({
    queryKey: ['join requests'],
    queryFn: () => ask<Joins>('/joining/requests'),
  })
  return (
    <Section
      heading="People who ask to join"
      note="Where ROOKERY_SIGNUP is approval. Moderators see them on their page, too. Nothing of who waits is public, and who has an invite need not wait."
    >
      <Loaded query={query} what="the requests">
        {({ requests }) =>
          requests.length === 0 ? (
            <p className="muted">Nobody waits.</p>
          ) : (
            <ul className="cards">
              {requests.map((one) => (
                <Card key={`${one.address} ${one.askedAt}`} request={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

function Card({ request: { address, called, reason, askedAt } }: { request: JoinRequest }) {
  const queries = useQueryClient()
  const [answer, setAnswer] = useState('')
  const decide = useMutation({
    mutationFn: (what: 'approve' | 'decline') => {
      const text = answer.trim()
      const body = { askedAt, ...(text && { answer: text }) }
      return ask(`/joining/requests/${address}/${what}`, { method: 'POST', body })
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <li className="card">
      <p>
        <strong>
          <bdi>{cleanText(called)}</bdi>
        </strong>{' '}
        <span className="muted">asked {timeText(askedAt)}</span>
      </p>
      <p>
        <bdi>{cleanText(reason)}</bdi>
      </p>
      <label className="field">
        <span>Answer, which the person reads. To decline, say why.</span>
        <textarea
          rows={2}
          maxLength={MAX_ANSWER_CHARACTERS}
          value={answer}
          onChange={({ target }) => setAnswer(target.value)}
        />
      </label>
      {decide.error && (
        <p className="fault" role="alert">
          {decide.error.message}
        </p>
      )}
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
