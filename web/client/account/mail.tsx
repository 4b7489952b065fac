import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText } from '../../shared/text.ts'
import { changeRecovery } from '../act/account-calls.ts'
import { Field } from '../act/field.tsx'
import { Text } from '../act/text-field.tsx'
import type { Opened } from '../custody/open.ts'
import { NOBODY, readRecovery } from '../custody/recovery-terms.ts'
import { ownerRequest } from '../custody/server.ts'
import { useModeratorQueue } from '../moderation/calls.ts'
import { noteMail } from './kept-mail.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

export type OwnMail = {
  address: string | null
  pending: string | null
  change: { address: string | null; at: number } | null
  refusedAt: number | null
  isStopped: boolean
  choices: Choices | null
}
type Choices = { decisions: boolean; reports: boolean; digest: 'off' | 'daily' | 'weekly' }

const MAX_ADDRESS_CHARACTERS = 254

/** Whether this server sends e-mail, and whether accounts may have an address here. */
export const useMailTerms = () =>
  useQuery({
    queryKey: ['mail terms'],
    queryFn: () => fetchJson<{ isOn: boolean; keepsAddresses: boolean }>('/accounts/v1/mail'),
  })

/**
 * The e-mail address of the account. While the server sends no mail it is there for who has an address, or was told of one: a stolen key
 * may be removing it.
 */
export function Mail({ fid, opened }: PartProps) {
  const { isOn = false, keepsAddresses = false } = useMailTerms().data ?? {}
  const isAskedFor = useLocation().hash === '#mail'
  const own = useQuery({
    queryKey: ['own mail', fid],
    queryFn: async () => {
      const request = await ownerRequest(opened!.connection, fid, 'read mail address')
      const found = await post<OwnMail>('own', request)
      noteMail(fid, hasAddress(found))
      return found
    },
    enabled: keepsAddresses && opened !== undefined,
  })
  const hasOwn = own.data ? hasAddress(own.data) : own.isError || (keepsAddresses && isAskedFor)
  if (!isOn && !hasOwn) return null
  return (
    <section className="account-part" aria-labelledby="mail">
      <h2 id="mail">{t('E-mail')}</h2>
      {isOn && (
        <p className="muted">
          {t(
            'Nobody sees your address. You are told there what touches your account. If you choose so, a link that is sent there can bring the account back.',
          )}
        </p>
      )}
      {opened ? (
        <OwnAddress {...{ fid, opened, isOn, own }} />
      ) : (
        <p>{t('Unlock your account to see it.')}</p>
      )}
    </section>
  )
}

const hasAddress = ({ address, pending }: OwnMail): boolean => Boolean(address || pending)

type OwnProps = {
  readonly fid: number
  readonly opened: Opened
  readonly isOn: boolean
  readonly own: UseQueryResult<OwnMail>
}

function OwnAddress({ fid, opened, isOn, own }: OwnProps) {
  const { connection } = opened
  const queries = useQueryClient()
  const service = useService(fid)
  const [address, setAddress] = useState('')
  const [isWayBack, setWayBack] = useState(false)
  const { isBusy, run, said } = useWork()
  const add = () =>
    run(async () => {
      const text = address.trim()
      if (text.toLowerCase() === own.data?.address && !own.data.isStopped)
        return t('This is your address already.')
      const request = await ownerRequest(connection, fid, `add mail address ${text}`)
      await post('address', { ...request, address: text })
      if (service && isWayBack) {
        await changeRecovery(connection, service.address)
        await queries.invalidateQueries({ queryKey: ['account', fid] })
      }
      setAddress('')
      await own.refetch()
      // The answer does not tell whether the reader of the address wants no links.
      return t(
        'A link is on its way, unless “This was not me” was pressed in an earlier mail to this address. Press the button on the page that it opens, within an hour.',
      )
    })
  const remove = () =>
    run(async () => {
      await post('remove', await ownerRequest(connection, fid, 'remove mail address'))
      await own.refetch()
      // No link is sent, and the date stands above.
      if (!isOn) return t('Saved.')
      return t(
        'It goes after seven days, or at once with the link that was sent there. Your recovery address is as it was.',
      )
    })
  const choose = (choices: Choices) =>
    run(async () => {
      const { decisions, reports, digest } = choices
      const request = await ownerRequest(
        connection,
        fid,
        `choose mail decisions=${onOrOff(decisions)} reports=${onOrOff(reports)} digest=${digest}`,
      )
      await post('choices', { ...request, ...choices })
      await own.refetch()
      return t('Saved.')
    })
  const keep = () =>
    run(async () => {
      await post('keep', await ownerRequest(connection, fid, 'keep mail address'))
      await own.refetch()
      return t('The address stays.')
    })
  if (own.error) return <Notice tone="bad">{own.error.message}</Notice>
  const { address: now, pending, change, refusedAt, isStopped, choices } = own.data ?? {}
  return (
    <>
      {now && (
        <p>
          <bdi>{now}</bdi>{' '}
          {change?.address !== null && (
            <button type="button" className="link" disabled={isBusy} onClick={remove}>
              {t('Remove it')}
            </button>
          )}
        </p>
      )}
      {change && (
        <Notice tone="warn">
          <p>
            {change.address === null ? (
              // Without a mail server no link was sent.
              isOn ? (
                t('It is removed on {date}, or at once with the link that was sent there.', {
                  date: dateText(change.at),
                })
              ) : (
                t('It is removed on {date}.', { date: dateText(change.at) })
              )
            ) : isOn ? (
              rich(
                '{address} takes its place on {date}, or at once with the link that was sent there.',
                { address: <bdi>{change.address}</bdi>, date: dateText(change.at) },
              )
            ) : (
              // It takes no place before there is a mail server again, and the time begins anew then.
              <>
                {t('Your e-mail address is about to change')} · <bdi>{change.address}</bdi>
              </>
            )}
          </p>
          <p>
            <button type="button" className="secondary" disabled={isBusy} onClick={keep}>
              {t('Keep the present address')}
            </button>
          </p>
        </Notice>
      )}
      {refusedAt != null && (
        <Notice tone="warn">
          {t('Mails come back since {date}: look whether the address is still right.', {
            date: dateText(refusedAt),
          })}
          {isStopped &&
            ` ${t('Nothing more is sent there until you enter it again and confirm it.')}`}
        </Notice>
      )}
      {pending && (
        <p className="muted">
          {rich('{pending} waits for its link to be opened.', { pending: <bdi>{pending}</bdi> })}
        </p>
      )}
      {isOn && choices && (
        <MailChoices key={JSON.stringify(choices)} {...{ choices, isBusy }} choose={choose} />
      )}
      {isOn && (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <Text
            label={now ? t('Another address') : t('Your e-mail address')}
            help={t('A link is sent there.')}
            type="email"
            autoComplete="email"
            value={address}
            maxLength={MAX_ADDRESS_CHARACTERS}
            onChange={setAddress}
          />
          {service && (
            <label className="way">
              <input
                type="checkbox"
                checked={isWayBack}
                onChange={({ target }) => setWayBack(target.checked)}
              />
              <span>
                {t('If I lose everything, a link that is sent there brings the account back')}
                <span className="muted detail">
                  {t(
                    '{waitDays, plural, one {Whoever can read your mail can take the account then, unless you stop it within # day. You can change this later under “Recovery address”.} other {Whoever can read your mail can take the account then, unless you stop it within # days. You can change this later under “Recovery address”.}}',
                    { waitDays: service.waitDays },
                  )}
                </span>
              </span>
            </label>
          )}
          <p className="buttons">
            <button type="submit" className="secondary" disabled={isBusy || !address.includes('@')}>
              {t('Send the link')}
            </button>
          </p>
        </form>
      )}
      {said}
    </>
  )
}

const onOrOff = (isOn: boolean): string => (isOn ? 'on' : 'off')

const DIGESTS = [
  ['off', t('Never')],
  ['daily', t('Every day')],
  ['weekly', t('Every week')],
] as const

type ChoicesProps = {
  readonly choices: Choices
  readonly isBusy: boolean
  readonly choose: (choices: Choices) => void
}

/** What is sent to the address. What touches the account cannot be turned off: a thief would do that first. */
function MailChoices({ choices, isBusy, choose }: ChoicesProps) {
  const [chosen, setChosen] = useState(choices)
  const isModerator = useModeratorQueue() !== undefined
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        choose(chosen)
      }}
    >
      <fieldset className="ways">
        <legend>{t('What is sent there')}</legend>
        <label className="way">
          <input type="checkbox" checked disabled />
          <span>{t('What touches the security of your account: always')}</span>
        </label>
        <label className="way">
          <input
            type="checkbox"
            checked={chosen.decisions}
            onChange={({ target }) => setChosen({ ...chosen, decisions: target.checked })}
          />
          <span>
            {t('What moderators decide about you, and answers to your reports and appeals')}
          </span>
        </label>
        {isModerator && (
          <label className="way">
            <input
              type="checkbox"
              checked={chosen.reports}
              onChange={({ target }) => setChosen({ ...chosen, reports: target.checked })}
            />
            <span>{t('That reports wait for you, at most once an hour')}</span>
          </label>
        )}
      </fieldset>
      <Field
        label={t('Digest')}
        help={t(
          'The best of the people you follow, and what is new for you. None when nothing is new.',
        )}
      >
        {(id, help) => (
          <select
            id={id}
            aria-describedby={help}
            value={chosen.digest}
            onChange={({ target }) =>
              setChosen({ ...chosen, digest: target.value as Choices['digest'] })
            }
          >
            {DIGESTS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p className="buttons">
        <button type="submit" className="secondary" disabled={isBusy}>
          {t('Save what is sent')}
        </button>
      </p>
    </form>
  )
}

const post = <T,>(call: string, body: object): Promise<T> =>
  fetchJson<T>(`/accounts/v1/mail/${call}`, { method: 'POST', body })

/** The recovery service of the server, while nobody may recover the account: without a recovery address a mail brings nothing back. */
function useService(fid: number) {
  const recovery = useQuery({ queryKey: ['recovery', fid], queryFn: () => readRecovery(fid) })
  const account = useQuery({
    queryKey: ['account', fid],
    queryFn: () =>
      fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } }),
  })
  return account.data?.recoveryAddress === NOBODY ? recovery.data?.service : undefined
}
