import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { fetchJson, Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText } from '../../shared/text.ts'
import { signTypedData } from '../../wallets/sign.ts'
import { useMailTerms } from '../account/mail.tsx'
import { transferConsent } from '../act/account-calls.ts'
import { Field } from '../act/field.tsx'
import { Text } from '../act/text-field.tsx'
import { callApp } from '../api.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import type { User } from '../types.ts'
import { type KeptRecovery, keepRecovery } from './kept-recovery.ts'
import { newWords } from './new-words.ts'
import { RecoverByMail } from './recover-by-mail.tsx'
import { RecoveryKit } from './recovery-kit.tsx'
import { type RecoveryTerms, readRecovery } from './recovery-terms.ts'
import {
  Finish,
  KEPT_RECOVERY,
  Stop,
  useKeptRecovery,
  useRecoveryState,
  WaitingRecovery,
} from './waiting-recovery.tsx'
import { connectionOf } from './words.ts'

const MAX_NOTE_CHARACTERS = 500
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
/** The operator may take some time, and the waiting time comes after that. */
const VALID_DAYS = 180
const DAY_MS = 86_400_000

/** The screen for who has lost words, passkeys and password: the operator moves the account to new words. */
export function Component() {
  const found = useQuery({ queryKey: ['recovery'], queryFn: () => readRecovery() })
  // The address of the screen names the request, so that one can come back to it.
  const asked = useSearchParams()[0].get('request') ?? ''
  const { hash } = useLocation()
  if (found.isPending) return <Loading isScreen what={t('Loading')} rows={1} />
  if (found.error) return <Failed isScreen error={found.error} retry={found.refetch} />
  const { service } = found.data
  const way = wayBackIn(hash)
  return (
    <div className="form-screen">
      <Title>{t('Get your account back')}</Title>
      <h1>{t('Get your account back')}</h1>
      {!service ? (
        <NoService />
      ) : ADDRESS.test(asked) ? (
        <Asked receiver={asked} service={service} />
      ) : way ? (
        <ByLink key={way.link} service={service} way={way} />
      ) : (
        <>
          <WaitingRecovery />
          <WaysBack service={service} />
        </>
      )}
    </div>
  )
}

const NoService = () => (
  <>
    <p>
      {t(
        'This server has no recovery service. You need one of these: your 12 words, a passkey, your password, or the wallet that you have named as your recovery address.',
      )}
    </p>
    <p>
      <Link to="/join/sign-in" className="primary">
        {t('Sign in')}
      </Link>
    </p>
  </>
)

type Service = NonNullable<RecoveryTerms['service']>
/** What the link of a mail names. */
type WayBack = { readonly fid: number; readonly link: string }

function wayBackIn(hash: string): WayBack | undefined {
  const given = new URLSearchParams(hash.slice(1))
  const [fid, link] = [Number(given.get('fid')), given.get('mail')]
  return fid > 0 && link ? { fid, link } : undefined
}

type Looked = { readonly purpose: string; readonly fid: number; readonly username: string }

/** Looks at the link of a mail before anything is made: it counts once, and for an hour. */
function ByLink({ service, way }: { service: Service; way: WayBack }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['mail link', way.link],
    queryFn: () =>
      fetchJson<Looked>('/accounts/v1/mail/link', { method: 'POST', body: { token: way.link } }),
    retry: false,
    staleTime: Infinity,
  })
  if (isPending) return <Loading what={t('Looking at the link')} rows={1} />
  const isGone = error instanceof Refusal && error.status === 404
  if (error && !isGone) return <Failed error={error} retry={refetch} />
  if (isGone || data?.purpose !== 'recover' || data.fid !== way.fid) {
    return (
      <>
        <WaitingRecovery />
        <Notice tone="warn">
          {t(
            'This link was used, or is more than an hour old. Nothing was made, and your account is as it was.',
          )}
        </Notice>
        <p className="buttons">
          <Link to="/join/recover" className="primary">
            {t('Ask for another link')}
          </Link>
          <Link to="/join/sign-in" className="link">
            {t('Sign in')}
          </Link>
        </p>
      </>
    )
  }
  return <Recover service={service} way={{ ...way, name: data.username }} />
}

/** By mail, or by the people who run the server. */
function WaysBack({ service }: { service: Service }) {
  const mail = useMailTerms()
  if (mail.isPending) return <Loading what={t('Loading')} rows={1} />
  if (!mail.data?.isOn) return <Recover service={service} />
  return (
    <>
      <RecoverByMail waitDays={service.waitDays} />
      <details className="unlock">
        <summary>{t('I have no e-mail address here')}</summary>
        <Recover service={service} />
      </details>
    </>
  )
}

type RecoverProps = { service: Service; way?: WayBack & { readonly name: string } }

function Recover({ service: { waitDays }, way }: RecoverProps) {
  const [words] = useState(newWords)
  const [name, setName] = useState(way?.name ?? '')
  const [isKept, setKept] = useState(false)
  const [note, setNote] = useState('')
  const [isSaved, setSaved] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const wordsId = useId()
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const username = name.trim().replace(/^@/, '').toLowerCase()
      const fid = way?.fid ?? (await fidOf(username))
      const receiver = await askFor(words, fid, { note: note.trim(), link: way?.link })
      const until = Date.now() + VALID_DAYS * DAY_MS
      await keepRecovery({ receiver, fid, name: username, until }, isKept ? words : undefined)
      await queries.invalidateQueries({ queryKey: KEPT_RECOVERY })
      navigate(`/join/recover?request=${receiver}`)
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <form className="fields" onSubmit={ask}>
      {way ? (
        <p>
          {rich(
            '{waitDays, plural, one {Your account {name} moves to new words # day after you have asked for it. Whoever has the account now is told, and can stop it.} other {Your account {name} moves to new words # days after you have asked for it. Whoever has the account now is told, and can stop it.}}',
            { name: <bdi>@{way.name}</bdi>, waitDays },
          )}
        </p>
      ) : (
        <>
          <p>
            {t(
              '{waitDays, plural, one {The people who run this server can give your account to new words, if you have allowed that under “My account”. They have to know that it is you. Then it takes # day, in which whoever has the account now can stop it.} other {The people who run this server can give your account to new words, if you have allowed that under “My account”. They have to know that it is you. Then it takes # days, in which whoever has the account now can stop it.}}',
              { waitDays },
            )}
          </p>
          <Text
            label={t('The name of the account')}
            help={t('As others see it, without the @.')}
            value={name}
            maxLength={64}
            onChange={setName}
          />
          <Field
            label={t('How do they know you, and how can they answer?')}
            help={t('Only they read it.')}
          >
            {(id, help) => (
              <textarea
                id={id}
                rows={4}
                value={note}
                maxLength={MAX_NOTE_CHARACTERS}
                aria-describedby={help}
                onChange={({ target }) => setNote(target.value)}
              />
            )}
          </Field>
        </>
      )}
      <section className="kit" aria-labelledby={wordsId}>
        <h2 id={wordsId}>{t('Your new words')}</h2>
        <p>{t('They become the key of the account. Nobody else has them, so save them now.')}</p>
        <RecoveryKit words={words} name={name || 'me'} onSaved={() => setSaved(true)} />
        <label className="way">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ target }) => setKept(target.checked)}
          />
          <span>
            {t('Keep them in this browser too until the account is back')}
            <span className="muted detail">
              {t('Then one press signs you in here. Not on a device that others use.')}
            </span>
          </span>
        </label>
      </section>
      {isBusy && <Busy>{t('One moment …')}</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button
        type="submit"
        className="primary"
        disabled={isBusy || !isSaved || (!way && (name.trim() === '' || note.trim() === ''))}
      >
        {t('Ask for my account')}
      </button>
      {!isSaved && <p className="help">{t('Save the words first: without them nothing helps.')}</p>}
    </form>
  )
}

/** What has become of a request, and its number, which the person and the operator compare. */
function Asked({ receiver, service }: { receiver: string; service: Service }) {
  const kept = useKeptRecovery()
  const { data, error, isPending, refetch } = useRecoveryState(receiver)
  if (isPending || kept.isPending) return <Loading what={t('Loading your request')} rows={1} />
  if (error) return <Failed error={error} retry={refetch} />
  const own = kept.data?.receiver === receiver ? kept.data : undefined
  if (data.isBack) return <Back kept={own} />
  if (!data.request) {
    return (
      <>
        <p>
          {t(
            'There is no such request any more. It was refused, stopped by whoever has the account, or not decided for 30 days.',
          )}
        </p>
        <p className="buttons">
          <Link to="/join/sign-in" className="primary">
            {t('Sign in')}
          </Link>
          <Link to="/join/recover" className="link">
            {t('Ask again')}
          </Link>
        </p>
      </>
    )
  }
  const { movesAt } = data.request
  return (
    <>
      <Notice tone="good">
        {movesAt === null
          ? t('Your request is stored. Nobody has decided about it yet.')
          : t('Your account moves to your new words on {date}.', { date: dateText(movesAt) })}
      </Notice>
      {movesAt === null && (
        <>
          <p>
            {rich(
              'Now <link>reach the people who run this server</link>, and tell them this number, so that they take no other request:',
              { link: (inner) => <Link to="/about">{inner}</Link> },
            )}
          </p>
          <p className="one-line">
            <code>{receiver}</code> <CopyButton value={receiver} text={t('Copy the number')} />
          </p>
          <p>
            {t(
              '{waitDays, plural, one {When they know that it is you, they start the move. It happens # day later.} other {When they know that it is you, they start the move. It happens # days later.}}',
              { waitDays: service.waitDays },
            )}
          </p>
        </>
      )}
      {own ? (
        <p>
          {own.words
            ? rich(
                'You can close this page. <link>Sign in</link> shows on this device how long it waits, and signs you in with one press then.',
                { link: (inner) => <Link to="/join/sign-in">{inner}</Link> },
              )
            : rich(
                'You can close this page. <link>Sign in</link> shows on this device how long it waits, and asks for your 12 new words then.',
                { link: (inner) => <Link to="/join/sign-in">{inner}</Link> },
              )}
        </p>
      ) : (
        <p>
          {rich(
            'Keep the address of this page to see how it goes. Once the account has moved, <link>sign in</link> with your 12 new words.',
            { link: (inner) => <Link to="/join/sign-in">{inner}</Link> },
          )}
        </p>
      )}
      {own && (
        <p className="buttons">
          <Stop kept={own} />
        </p>
      )}
    </>
  )
}

function Back({ kept }: { kept: KeptRecovery | undefined }) {
  if (kept?.words) {
    return (
      <>
        <Notice tone="good">{t('You have it back: it belongs to your 12 new words now.')}</Notice>
        <Finish kept={kept} />
      </>
    )
  }
  return (
    <>
      <Notice tone="good">{t('You have it back: sign in with your new words.')}</Notice>
      <p className="buttons">
        <Link to="/join/sign-in?recovered" className="primary">
          {t('Sign in')}
        </Link>
      </p>
    </>
  )
}

/** Sends a request for the account. Returns the address of the new key. */
async function askFor(
  words: string,
  fid: number,
  { note, link }: { note: string; link: string | undefined },
): Promise<string> {
  const connection = connectionOf(words)
  const { address: receiver } = connection
  const { deadline, typedData } = await transferConsent(connection, fid, VALID_DAYS)
  const signature = await signTypedData(connection, typedData)
  const body = { fid, receiver, deadline, signature, note, link }
  await fetchJson('/accounts/v1/recovery', { method: 'POST', body }).catch((error) => {
    if (!(error instanceof Refusal) || error.reason !== 'Unauthorized') throw error
    throw new Error(
      t('This account has not allowed the recovery service, so nobody here can help.'),
    )
  })
  return receiver
}

async function fidOf(username: string): Promise<number> {
  const path = '/user/by_username'
  const { user } = await callApp<{ user: User }>(path, { query: { username } }).catch((error) => {
    if (!(error instanceof Refusal) || error.status !== 404) throw error
    throw new Error(t('Nobody here is called {username}.', { username }))
  })
  return user.fid
}
