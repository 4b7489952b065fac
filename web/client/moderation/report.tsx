import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { COMPLAINTS } from '../../shared/complaints.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { findKey } from '../act/key-store.ts'
import { useApp } from '../api.ts'
import { handleOf, nameOf } from '../parts/person.tsx'
import { rulesOf, useServer } from '../parts/server.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { useMirror } from '../shell/mirror-line.tsx'
import type { Cast, Channel, User } from '../types.ts'
import { callPlatform } from './calls.ts'

const MAX_REASON_CHARACTERS = 500

/** `/report?cast=0x…`, `/report?fid=7`, `/report?channel=pets`, `/report?app=game.example` */
export function Component() {
  const { fid } = useSession()
  const mirror = useMirror()
  const [query] = useSearchParams()
  const [cast, account, channel, app] = ['cast', 'fid', 'channel', 'app'].map((name) =>
    query.get(name),
  )
  return (
    <div className="form-screen">
      <Title>{t('Report')}</Title>
      <h1>{t('Report to the moderators')}</h1>
      {mirror ? (
        <p>
          {rich(
            'This server is a copy of {host}, and what its people write is decided about there. <link>Go there to report it</link>',
            {
              host: <bdi>{mirror.host}</bdi>,
              link: (inner) => <a href={`https://${mirror.host}/`}>{inner}</a>,
            },
          )}
        </p>
      ) : fid === undefined ? (
        <p>
          {rich('Reports come from people with an account. <link>Join or sign in</link>', {
            link: (inner) => <Link to="/join">{inner}</Link>,
          })}
        </p>
      ) : cast ? (
        <ReportCast hash={cast} />
      ) : channel ? (
        <ReportChannel id={channel} />
      ) : app ? (
        <ReportForm about={{ miniAppDomain: app }}>
          <p>{rich('About the mini app {app}.', { app: <bdi>{app}</bdi> })}</p>
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
  if (!data) return <Loading what={t('Loading the {post}')} rows={1} />
  const { author, text } = data.cast
  return (
    <ReportForm about={{ castHash: hash }}>
      <blockquote className="quoted">
        <p className="muted">
          <bdi>{nameOf(author)}</bdi>
        </p>
        <p dir="auto">{cleanText(text) || t('{Post} without text')}</p>
      </blockquote>
    </ReportForm>
  )
}

function ReportAccount({ fid }: { fid: number }) {
  const { data, error, refetch } = useApp<{ users: User[] }>('/user/bulk', { fids: fid })
  const user = data?.users[0]
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={t('Loading the profile')} rows={1} />
  if (!user) return <p>{t('There is no such account.')}</p>
  return (
    <ReportForm about={{ fid }}>
      <p>
        {rich('About {name} ({who}).', {
          name: <bdi>{nameOf(user)}</bdi>,
          who: <bdi>{handleOf(user)}</bdi>,
        })}
      </p>
    </ReportForm>
  )
}

/** A channel is what its lead made of it: the report names the lead. */
function ReportChannel({ id }: { id: string }) {
  const { data, error, refetch } = useApp<{ channel: Channel }>('/channel', { id, type: 'id' })
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={t('Loading the channel')} rows={1} />
  const { lead } = data.channel
  if (!lead) return <p>{t('This channel has no owner whom a report could name.')}</p>
  return (
    <ReportForm about={{ fid: lead.fid }} prefix={`${t('Channel /{id}:', { id })} `}>
      <p>
        {rich('About the channel {name}, owned by {name2}.', {
          name: <bdi>/{id}</bdi>,
          name2: <bdi>{nameOf(lead)}</bdi>,
        })}
      </p>
    </ReportForm>
  )
}

type Kind = keyof typeof COMPLAINTS
type Choice = { readonly kind: Kind; readonly rule?: string }
/** Rules are chosen by their words. */
const KINDS = (Object.keys(COMPLAINTS) as Kind[]).filter((kind) => kind !== 'rule')

/** Of an option: the place of a rule, or a kind. */
function choiceOf(value: string, rules: ReturnType<typeof rulesOf>): Choice {
  const rule = rules[Number(value)]?.rule
  return rule === undefined ? { kind: value as Kind } : { kind: 'rule', rule }
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
  const { data: server } = useServer()
  const rules = rulesOf(server)
  const [choice, setChoice] = useState<Choice>()
  const [text, setText] = useState('')
  const { kind, rule } = choice ?? {}
  const what = rule === undefined ? kind && COMPLAINTS[kind] : t('Rule “{rule}”', { rule })
  const reason = [`${prefix}${what ?? ''}`, text.trim()].filter(Boolean).join(': ')
  const report = useMutation({
    mutationFn: async () => {
      const key = await findKey(fid!)
      if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
      await callPlatform(key, '/reports', { ...about, ...choice, reason })
    },
  })
  if (report.isSuccess) {
    return (
      <Shown icon="check" heading={t('Thank you. The moderators have your report.')}>
        <p>
          {rich('What comes of it is told under <link>Reports and decisions</link>.', {
            link: (inner) => <Link to="/moderation">{inner}</Link>,
          })}
        </p>
      </Shown>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    report.mutate()
  }
  // What was chosen is written before the text.
  const given = text.trim().length
  const maxGiven = MAX_REASON_CHARACTERS - `${prefix}${what ?? ''}: `.length
  const isLong = given > maxGiven
  return (
    <form className="fields" onSubmit={submit}>
      {children}
      <Field label={t('What is wrong')} help={t('The author is not told who reported.')}>
        {(id, help) => (
          <select
            id={id}
            aria-describedby={help}
            required
            value={rule === undefined ? (kind ?? '') : rules.findIndex((one) => one.rule === rule)}
            onChange={({ target }) => setChoice(choiceOf(target.value, rules))}
          >
            <option value="" disabled>
              {t('Choose what is wrong')}
            </option>
            {rules.length > 0 && (
              <optgroup label={t('A rule of this server')}>
                {rules.map(({ shown }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a rule may be there twice
                  <option key={i} value={i}>
                    {shown}
                  </option>
                ))}
              </optgroup>
            )}
            <optgroup label={t('Or')}>
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {COMPLAINTS[one]}
                </option>
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      <Field
        label={t('More, if it helps (optional)')}
        help={t(
          '{maxGiven, plural, one {{given} of # character} other {{given} of # characters}}',
          { given, maxGiven },
        )}
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
        {report.isPending ? t('Sending …') : t('Send the report')}
      </button>
    </form>
  )
}
