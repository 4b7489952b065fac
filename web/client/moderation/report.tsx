import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { cleanText } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
import { Field } from '../act/field.tsx'
import { findKey } from '../act/key-store.ts'
import { useApp } from '../api.ts'
import { handleOf, nameOf } from '../parts/person.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel, User } from '../types.ts'
import { callPlatform } from './calls.ts'

const MAX_REASON_CHARACTERS = 500
const KINDS = [
  'Spam',
  'Harassment or hate',
  'Violence',
  'Sexual content',
  'Somebody else’s name',
  'Something else',
] as const

/** `/report?cast=0x…`, `/report?fid=7`, `/report?channel=pets`, `/report?app=game.example` */
export function Component() {
  const { fid } = useSession()
  const [query] = useSearchParams()
  const [cast, account, channel, app] = ['cast', 'fid', 'channel', 'app'].map((name) =>
    query.get(name),
  )
  return (
    <div className="form-screen">
      <Title>Report</Title>
      <h1>Report to the moderators</h1>
      {fid === undefined ? (
        <p>
          Reports come from people with an account. <Link to="/join">Join or sign in</Link>
        </p>
      ) : cast ? (
        <ReportCast hash={cast} />
      ) : channel ? (
        <ReportChannel id={channel} />
      ) : app ? (
        <ReportForm about={{ miniAppDomain: app }}>
          <p>
            About the mini app <bdi>{app}</bdi>.
          </p>
        </ReportForm>
      ) : (
        <ReportAccount fid={Number(account)} />
      )}
    </div>
  )
}

function ReportCast({ hash }: { hash: string }) {
  const { data, error, refetch } = useApp<{ cast: Cast }>('/cast', {
    identifier: hash,
    type: 'hash',
  })
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={`Loading the ${words.post}`} rows={1} />
  const { author, text } = data.cast
  return (
    <ReportForm about={{ castHash: hash }}>
      <blockquote className="quoted">
        <p className="muted">
          <bdi>{nameOf(author)}</bdi>
        </p>
        <p dir="auto">{cleanText(text) || words.withoutText}</p>
      </blockquote>
    </ReportForm>
  )
}

function ReportAccount({ fid }: { fid: number }) {
  const { data, error, refetch } = useApp<{ users: User[] }>('/user/bulk', { fids: fid })
  const user = data?.users[0]
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what="Loading the profile" rows={1} />
  if (!user) return <p>There is no such account.</p>
  return (
    <ReportForm about={{ fid }}>
      <p>
        About <bdi>{nameOf(user)}</bdi> (<bdi>{handleOf(user)}</bdi>).
      </p>
    </ReportForm>
  )
}

/** A channel is what its lead made of it: the report names the lead. */
function ReportChannel({ id }: { id: string }) {
  const { data, error, refetch } = useApp<{ channel: Channel }>('/channel', { id, type: 'id' })
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what="Loading the channel" rows={1} />
  const { lead } = data.channel
  if (!lead) return <p>This channel has no owner whom a report could name.</p>
  return (
    <ReportForm about={{ fid: lead.fid }} prefix={`Channel /${id}: `}>
      <p>
        About the channel <bdi>/{id}</bdi>, owned by <bdi>{nameOf(lead)}</bdi>.
      </p>
    </ReportForm>
  )
}

function ReportForm({
  about,
  prefix = '',
  children,
}: {
  about: { castHash: string } | { fid: number } | { miniAppDomain: string }
  prefix?: string
  children: React.ReactNode
}) {
  const { fid } = useSession()
  const [kind, setKind] = useState<string>(KINDS[0])
  const [text, setText] = useState('')
  const reason = [`${prefix}${kind}`, text.trim()].filter(Boolean).join(': ')
  const report = useMutation({
    mutationFn: async () => {
      const key = await findKey(fid!)
      if (!key) throw new Error('Sign in again: this browser has no key of your account.')
      await callPlatform(key, '/reports', { ...about, reason })
    },
  })
  if (report.isSuccess) {
    return (
      <Shown icon="check" heading="Thank you. The moderators have your report.">
        <p>
          What comes of it is told under <Link to="/moderation">Reports and decisions</Link>.
        </p>
      </Shown>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    report.mutate()
  }
  const isLong = reason.length > MAX_REASON_CHARACTERS
  return (
    <form className="fields" onSubmit={submit}>
      {children}
      <Field label="What is wrong" help="The author is not told who reported.">
        {(id, help) => (
          <select
            id={id}
            aria-describedby={help}
            value={kind}
            onChange={({ target }) => setKind(target.value)}
          >
            {KINDS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="More, if it helps (optional)"
        help={`${reason.length} of ${MAX_REASON_CHARACTERS} characters`}
        isBad={isLong}
      >
        {(id, help) => (
          <textarea
            id={id}
            rows={4}
            value={text}
            aria-describedby={help}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {report.error && <Failed error={report.error} />}
      <button type="submit" className="primary" disabled={report.isPending || isLong}>
        {report.isPending ? 'Sending …' : 'Send the report'}
      </button>
    </form>
  )
}
