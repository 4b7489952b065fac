import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform, keyOf } from './calls.ts'
import { useOwn } from './own.ts'

// The words and domains for which posts wait for a moderator.

type Term = { readonly kind: 'word' | 'domain'; readonly term: string; readonly addedBy: string }
type Asked = Pick<Term, 'kind' | 'term'>

type Preview = {
  readonly casts: number
  readonly found: number
  readonly ownAddress: boolean
  readonly examples: readonly { readonly hash: string; readonly text: string }[]
}

const PATH = '/moderation/held-terms'
/** The longest that the server takes. */
const MAX_TERM_CHARACTERS = 260
const LIST = 'held terms'

/** What has a dot between letters and no space is a domain, or an address of one. */
const kindOf = (text: string): Term['kind'] => (/^\S+\.\S+$/.test(text) ? 'domain' : 'word')

/** It is read when it is opened. */
export function HeldTerms() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Words and domains that wait for review')}</summary>
      {isOpen && <List />}
    </details>
  )
}

/** What would have waited, so that nobody lists what everybody writes. */
function WouldHold({ preview: { casts, found, ownAddress, examples } }: { preview: Preview }) {
  return (
    <Notice tone="warn">
      {ownAddress &&
        `${t('It is in the address of this server: what links to this server would wait.')} `}
      {examples.length > 0
        ? t('Of the last {casts} {posts}, {found} would have waited, such as:', { casts, found })
        : t('Of the last {casts} {posts}, {found} would have waited', { casts, found })}
      {examples.map(({ hash, text }) => (
        <span key={hash} className="would-hold">
          “<bdi>{cleanText(text)}</bdi>”
        </span>
      ))}
    </Notice>
  )
}

function List() {
  const { fid } = useSession()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const list = useOwn(LIST, (key) => callPlatform<{ terms: Term[] }>(key, PATH))
  const change = useMutation({
    mutationFn: async ([method, term]: ['POST' | 'DELETE', Asked]) =>
      callPlatform(await keyOf(fid), PATH, { kind: term.kind, term: term.term }, method),
    onSuccess: async (_, [method]) => {
      if (method === 'POST') setText('')
      look.reset()
      await queries.invalidateQueries({ queryKey: ['own', LIST] })
    },
  })
  const given = text.trim()
  /** What it would have held is told before it is added. */
  const look = useMutation({
    mutationFn: async (asked: Asked) =>
      callPlatform<Preview>(await keyOf(fid), `${PATH}/preview?${new URLSearchParams(asked)}`),
    onSuccess: ({ found, ownAddress }, asked) => {
      if (found === 0 && !ownAddress) change.mutate(['POST', asked])
    },
  })
  const isBusy = change.isPending || look.isPending
  const preview = look.data && (look.data.found > 0 || look.data.ownAddress) ? look.data : undefined
  // Also when the server could not tell: adding it does not depend on that.
  const isTold = preview !== undefined || look.isError
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!given || isBusy) return
    const asked = { kind: kindOf(given), term: given }
    if (isTold) change.mutate(['POST', asked])
    else look.mutate(asked)
  }
  if (list.error) return <Failed error={list.error} retry={list.refetch} />
  if (!list.data) return <Loading what={t('Loading the list')} />
  return (
    <>
      <p className="muted">
        {t(
          'New {posts} with one of these are seen by nobody until a moderator has looked at them. The log says who changes the list.',
        )}
      </p>
      <form className="fields" onSubmit={submit}>
        <Field
          label={t('Word or domain')}
          help={t(
            'A word, a few words after each other, or a domain such as spam.example, with those below it.',
          )}
        >
          {(id, help) => (
            <input
              id={id}
              dir="auto"
              autoComplete="off"
              maxLength={MAX_TERM_CHARACTERS}
              aria-describedby={help}
              value={text}
              readOnly={isBusy}
              onChange={({ target }) => {
                setText(target.value)
                look.reset()
                change.reset()
              }}
            />
          )}
        </Field>
        {preview && <WouldHold preview={preview} />}
        {(change.error ?? look.error) && <Failed error={(change.error ?? look.error)!} />}
        <div className="buttons">
          <button type="submit" className="primary" disabled={!given || isBusy}>
            {kindOf(given) === 'domain'
              ? isTold
                ? t('Add the domain all the same')
                : t('Add the domain')
              : isTold
                ? t('Add the word all the same')
                : t('Add the word')}
          </button>
        </div>
      </form>
      {list.data.terms.length === 0 && <p className="muted">{t('The list is empty.')}</p>}
      <ul className="held-terms">
        {list.data.terms.map((one) => (
          <li key={`${one.kind} ${one.term}`}>
            <span>
              <bdi>{cleanText(one.term)}</bdi>{' '}
              <span className="muted">
                {rich('{kind, select, domain {domain} other {word}}, by {addedBy}', {
                  kind: one.kind,
                  addedBy: <bdi>{cleanText(one.addedBy)}</bdi>,
                })}
              </span>
            </span>
            <button
              type="button"
              className="secondary"
              aria-label={t('Remove {term}', { term: one.term })}
              disabled={change.isPending}
              onClick={() => change.mutate(['DELETE', one])}
            >
              {t('Remove')}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
