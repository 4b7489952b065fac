import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { Failed } from '../parts/states.tsx'
import { Ago } from '../parts/time.tsx'
import { useSession } from '../session/session.tsx'
import { type Case, type Claim, callPlatform, keyOf } from './calls.ts'
import { named, type People } from './people.ts'
import { isoTime } from './words.ts'

// Who looks at a case, so that two moderators do not answer the same.

const MAX_WORD_CHARACTERS = 300

/** Whether somebody else has taken it. */
export const isOfOther = ({ taken }: Case, viewer: number | undefined): boolean =>
  taken !== null && taken.fid !== viewer

/** An account without its role; `operator` as in `named`. */
export const holderOf = ({ actor, fid }: Claim, people: People, operator?: string): string =>
  named(fid === null ? actor : `fid ${fid}`, people, operator)

/** Takes a case, or gives it back. */
export function useTake() {
  const { fid } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, word, back }: { id: number; word?: string; back?: boolean }) => {
      const path = `/moderation/cases/${id}/take`
      const key = await keyOf(fid)
      await (back
        ? callPlatform(key, path, undefined, 'DELETE')
        : callPlatform(key, path, word === undefined ? {} : { word }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['own', 'queue'] }),
  })
}

type Props = { found: Case; people: People }

/** Who has the case, and since when, with what one can do about that. */
export function ClaimLine({ found, people }: Props) {
  const { fid } = useSession()
  const take = useTake()
  const { id, taken } = found
  return (
    <div className="case-claim">
      {taken === null ? (
        <button type="button" className="secondary" onClick={() => take.mutate({ id })}>
          {t('Take it')}
        </button>
      ) : isOfOther(found, fid) ? (
        <>
          <TakenText claim={taken} people={people} />
          <TakeOver id={id} send={take.mutate} />
        </>
      ) : (
        <>
          <p>{rich('You have taken it, {time}.', { time: <Ago at={isoTime(taken.since)} /> })}</p>
          <button
            type="button"
            className="secondary"
            onClick={() => take.mutate({ id, back: true })}
          >
            {t('Give it back')}
          </button>
        </>
      )}
      {take.error && <Failed error={take.error} />}
    </div>
  )
}

export const TakenText = ({ claim, people }: { claim: Claim; people: People }) => (
  <p>
    <strong>
      {rich('Taken by {who}', { who: <bdi>{holderOf(claim, people, BY_OPERATOR)}</bdi> })}
    </strong>
    , <Ago at={isoTime(claim.since)} />
    {claim.word !== null && (
      <>
        : <bdi>{cleanText(claim.word)}</bdi>
      </>
    )}
  </p>
)

type TakeOverProps = { id: number; send: (taking: { id: number; word: string }) => void }

function TakeOver({ id, send }: TakeOverProps) {
  const [word, setWord] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send({ id, word: word.trim() })
  }
  return (
    <details>
      <summary>{t('Take it over')}</summary>
      <form className="fields" onSubmit={submit}>
        <Field label={t('Why you take it over')} help={t('Other moderators read it.')}>
          {(field, help) => (
            <input
              id={field}
              required
              maxLength={MAX_WORD_CHARACTERS}
              aria-describedby={help}
              value={word}
              onChange={({ target }) => setWord(target.value)}
            />
          )}
        </Field>
        <div className="buttons">
          <button type="submit" className="secondary" disabled={!word.trim()}>
            {t('Take it over')}
          </button>
        </div>
      </form>
    </details>
  )
}
