import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { AccountChoice } from '../../wallets/account-choice.tsx'
import { type Connection, chainName, explain, isRejectedByUser } from '../../wallets/provider.ts'
import { useWallets } from '../../wallets/use-wallets.ts'
import { WalletApps } from '../../wallets/wallet-apps.tsx'
import { WalletList } from '../../wallets/wallet-list.tsx'
import { callApp } from '../api.ts'
import { useTerms } from '../custody/consent.ts'
import { ConsentFields, isAgreed, NOTHING_AGREED } from '../custody/consent-fields.tsx'
import { agreeLater } from '../custody/create-account.ts'
import { NameFields } from '../custody/names.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { isDevelopment } from '../shell/development-panel.tsx'
import type { User } from '../types.ts'
import { findFid, hasKey } from './account-calls.ts'
import { Field } from './field.tsx'
import { pathAfterJoining } from './join-path.ts'
import {
  join,
  NOTHING_YET,
  type Progress,
  type StepName,
  stepsFor,
  type Wishes,
} from './join-steps.ts'
import { findKey } from './key-store.ts'
import { MAX_NAME_LENGTH, useNameCheck } from './name-check.ts'
import { askInfo } from './network.ts'
import { clearOverrides } from './overrides.ts'
import { useTried } from './use-tried.ts'
import { byteLength, MAX_CAST_BYTES } from './writes.ts'

/** The screen on which one gets an account, or signs in again, with a wallet. */
export function Component() {
  // The accounts of a development network are acted as beside the content, without a wallet.
  const wallets = useWallets({ withDevelopment: false })
  const info = useQuery({ queryKey: ['network'], queryFn: askInfo })
  const { connection } = wallets
  if (info.isPending) return <Loading what={t('Loading')} rows={2} />
  if (info.error) return <Failed error={info.error} retry={info.refetch} isScreen />
  return (
    <div className="form-screen">
      <Title>{t('Join')}</Title>
      <h1>{t('Join, or sign in again, with a wallet')}</h1>
      {!connection ? (
        <>
          <p>
            {t(
              'Your wallet is your account here: no password and no e-mail address. Connecting it shows this page its address and nothing else.',
            )}
          </p>
          <WalletList {...wallets} />
          {wallets.wallets.length === 0 && <WalletApps />}
          <p className="muted">
            {rich(
              'You can read everything without an account, and <link>join without a wallet</link>.',
              { link: (inner) => <Link to="/join">{inner}</Link> },
            )}
            {isDevelopment() && (
              <>
                {' '}
                {rich(
                  'In this development network you can also <link>act as any account</link> without a wallet.',
                  { link: (inner) => <Link to="/development">{inner}</Link> },
                )}
              </>
            )}
          </p>
        </>
      ) : (
        <>
          <AccountChoice {...wallets} />
          <ForAddress key={connection.address} connection={connection} info={info.data} />
        </>
      )}
    </div>
  )
}

type Info = Awaited<ReturnType<typeof askInfo>>

/** What the address of the wallet has here: nothing, an account, or an account with a key in this browser. */
function ForAddress({ connection, info }: { connection: Connection; info: Info }) {
  const { address } = connection
  const found = useQuery({
    queryKey: ['account of', address],
    queryFn: async () => {
      const fid = await findFid(address)
      const key = fid === undefined ? undefined : await findKey(fid)
      const isReady = fid !== undefined && key !== undefined && (await hasKey(fid, key))
      return { fid, isReady, isNamed: fid !== undefined && (await isNamed(fid)) }
    },
    staleTime: 0,
    gcTime: 0,
  })
  if (found.isPending) return <Loading what={t('Looking for your account')} rows={1} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  const { fid, isReady, isNamed: hasName } = found.data
  if (fid !== undefined && isReady && hasName) return <Enter fid={fid} />
  if (fid === undefined && info.accounts.source === 'chain') {
    return (
      <Notice tone="warn">
        {t(
          'This wallet has no account. Accounts of this network are kept by contracts on {chainName}: create one there, for example with another app of the network, and come back.',
          { chainName: chainName(info.accounts.chainId) },
        )}
      </Notice>
    )
  }
  if (fid === undefined && info.signup === 'closed') {
    return (
      <Notice tone="warn">
        {t('This wallet has no account, and this server takes no new ones. Ask its operator.')}
      </Notice>
    )
  }
  const needsInvite = info.signup === 'invite' || info.signup === 'approval'
  const isByApproval = info.signup === 'approval'
  return <JoinForm {...{ connection, fid, isReady, hasName, needsInvite, isByApproval }} />
}

async function isNamed(fid: number): Promise<boolean> {
  const { users } = await callApp<{ users: User[] }>('/user/bulk', { query: { fids: fid } })
  return users.some(({ username }) => !username.startsWith('!'))
}

/** The name that a link to this screen asks for; empty for none. */
const useWantedName = () => useSearchParams()[0].get('name')?.slice(0, MAX_NAME_LENGTH) ?? ''

/** The code in a link to join. */
const useGivenInvite = () => useSearchParams()[0].get('invite')?.slice(0, MAX_INVITE_LENGTH) ?? ''

/** The key of this browser is there: nothing has to be signed. */
function Enter({ fid }: { fid: number }) {
  const enter = useEnter()
  const wanted = useWantedName()
  return (
    <>
      <p>
        {t('This wallet holds account {fid}, and this browser may sign for it.', {
          fid: String(fid),
        })}
      </p>
      {wanted && (
        <Notice tone="warn">
          {rich(
            'This account has a name already. To claim {wanted}, use a wallet account without one.',
            { wanted: <bdi>{wanted}</bdi> },
          )}
        </Notice>
      )}
      <button type="button" className="primary" onClick={() => enter(fid)}>
        {t('Sign in')}
      </button>
    </>
  )
}

function useEnter() {
  const { become } = useSession()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  return async (fid: number) => {
    clearOverrides()
    become(fid)
    navigate(pathAfterJoining(params))
  }
}

export const MAX_INVITE_LENGTH = 64

type FormProps = {
  connection: Connection
  fid: number | undefined
  /** Whether this browser has a key of the account. */
  isReady: boolean
  hasName: boolean
  needsInvite: boolean
  /** Whether moderators let in who has no invite, who asks without a wallet. */
  isByApproval: boolean
}

const INVITED = t('This server is open to people with an invite.')
const ASK = t('Moderators let in who has none: ask on the page where one joins without a wallet.')

function JoinForm(props: FormProps) {
  const { connection, fid, isReady: isKnown, hasName, needsInvite, isByApproval } = props
  const wanted = useWantedName()
  const [wishes, setWishes] = useState<Wishes>({
    invite: useGivenInvite(),
    name: hasName ? '' : wanted,
    display: '',
    cast: '',
  })
  const [progress, setProgress] = useState<Progress>(
    isKnown && fid !== undefined ? { fid, done: ['account', 'key'] } : NOTHING_YET,
  )
  const terms = useTerms()
  const [agreed, setAgreed] = useState(NOTHING_AGREED)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{
    text: string
    isCancelled: boolean
    isInvite: boolean
  }>()
  const enter = useEnter()
  const queries = useQueryClient()
  const isNew = fid === undefined
  const refusedInvite = needsInvite && problem?.isInvite ? problem.text : undefined
  const name = useNameCheck(wishes.name)
  const bytes = byteLength(wishes.cast)
  const steps = stepsFor(fid, wishes).filter((step) => step !== 'key' || !isKnown)
  const isReady =
    (!isNew || (terms !== undefined && isAgreed(terms, agreed))) &&
    name.isGood &&
    bytes <= MAX_CAST_BYTES &&
    (!isNew || !needsInvite || wishes.invite)
  const { form, isTried, tryAgain } = useTried()
  const isInviteMissing = isTried && wishes.invite === ''
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return tryAgain()
    setBusy(true)
    setProblem(undefined)
    const trimmed = { ...wishes, invite: wishes.invite.trim(), cast: wishes.cast.trim() }
    try {
      const joined = await join(connection, trimmed, progress, setProgress)
      if (isNew) await agreeLater(joined, terms)
      await enter(joined)
    } catch (error) {
      const isInvite = error instanceof Refusal && /^signup\./.test(error.reason ?? '')
      setProblem({ text: explain(error), isCancelled: isRejectedByUser(error), isInvite })
      setBusy(false)
      if (isInvite) await queries.invalidateQueries({ queryKey: ['network'] })
    }
  }
  const set = (part: keyof Wishes) => (value: string) =>
    setWishes((before) => ({ ...before, [part]: value }))
  return (
    <form ref={form} className="fields" onSubmit={submit}>
      {isNew ? (
        <p>{t('This wallet has no account here yet. You can make one now; it costs nothing.')}</p>
      ) : (
        <p>
          {t('This wallet holds account {fid}.', { fid: String(fid) })}{' '}
          {isKnown
            ? t('It has no name yet.')
            : t('This browser has no key for it yet, so that it cannot write in its name.')}
        </p>
      )}
      {isNew && needsInvite && (
        <Field
          label={t('Invite code')}
          help={refusedInvite ?? (isByApproval ? ASK : INVITED)}
          isBad={refusedInvite !== undefined || isInviteMissing}
        >
          {(id, help) => (
            <input
              id={id}
              value={wishes.invite}
              maxLength={MAX_INVITE_LENGTH}
              aria-describedby={help}
              aria-invalid={refusedInvite !== undefined || isInviteMissing}
              autoComplete="off"
              disabled={isBusy}
              onChange={({ target }) => set('invite')(target.value)}
            />
          )}
        </Field>
      )}
      {!hasName && (
        <fieldset className="fields" disabled={isBusy}>
          <legend className="unseen">{t('Your names')}</legend>
          <NameFields
            display={wishes.display ?? ''}
            name={wishes.name}
            onDisplay={set('display')}
            onName={set('name')}
          />
        </fieldset>
      )}
      {isNew && (
        <Field
          label={t('Your first {post} (optional)')}
          help={t('{maxCastBytes, plural, one {{bytes} of # byte} other {{bytes} of # bytes}}', {
            bytes,
            maxCastBytes: MAX_CAST_BYTES,
          })}
          isBad={bytes > MAX_CAST_BYTES}
        >
          {(id, help) => (
            <textarea
              id={id}
              rows={3}
              value={wishes.cast}
              aria-describedby={help}
              disabled={isBusy}
              onChange={({ target }) => set('cast')(target.value)}
            />
          )}
        </Field>
      )}
      {isNew && <ConsentFields terms={terms} agreed={agreed} onChange={setAgreed} />}
      {steps.length > 0 && <Signatures steps={steps} progress={progress} isBusy={isBusy} />}
      {isBusy && progress.until && (
        <Notice tone="plain">
          {t(
            'This account got another key less than a minute ago. This one is added at {date}, without another signature. Keep this page open.',
            { date: TIME.format(progress.until) },
          )}
        </Notice>
      )}
      {problem && !refusedInvite && (
        <Notice tone={problem.isCancelled ? 'plain' : 'bad'}>
          {problem.isCancelled
            ? t('You did not sign, so nothing more was done. Go on whenever you like.')
            : problem.text}
        </Notice>
      )}
      <button type="submit" className="primary" disabled={isBusy || (isNew && !terms)}>
        {isBusy
          ? t('Waiting …')
          : progress.done.length > 0 && !isKnown
            ? t('Go on')
            : isNew
              ? t('Create account')
              : t('Sign in')}
      </button>
    </form>
  )
}

const TIME = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })

const STEPS: Record<StepName, { text: string; detail: string }> = {
  account: {
    text: t('Create your account'),
    detail: t('One signature: “register this address”. The wallet that signs owns the account.'),
  },
  key: {
    text: t('Let this browser write for you'),
    detail: t(
      'Two signatures: a request for a new key, and your consent. The key stays in this browser; it can write and like for you, and can never move your account or spend anything. You can remove it under connected apps.',
    ),
  },
  name: {
    text: t('Get your name'),
    detail: t('One signature: “this address takes this name now”.'),
  },
  cast: {
    text: t('Send your first {post}'),
    detail: t('Signed by this browser. Your wallet is not asked.'),
  },
}

/** What will be signed, in plain words, and how far it is. */
function Signatures(props: { steps: readonly StepName[]; progress: Progress; isBusy: boolean }) {
  const { steps, progress, isBusy } = props
  const isDone = (step: StepName) => progress.done.includes(step)
  const current = isBusy ? steps.find((step) => !isDone(step)) : undefined
  return (
    <section aria-label={t('What you sign')}>
      <h2>{t('What your wallet asks you to sign')}</h2>
      <ol className="steps">
        {steps.map((step) => (
          <li
            key={step}
            className={isDone(step) ? 'done' : undefined}
            aria-current={step === current ? 'step' : undefined}
          >
            {isDone(step) ? (
              <Icon name="check" />
            ) : step === current ? (
              <span className="spinner" aria-hidden="true" />
            ) : (
              <span className="dot" aria-hidden="true" />
            )}
            <span>
              {STEPS[step].text}
              <span className="muted detail">{STEPS[step].detail}</span>
            </span>
          </li>
        ))}
      </ol>
      <p className="muted">
        {rich(
          'Nothing here is a transaction: no fee, and nothing leaves your wallet. See <link>how accounts work</link>.',
          {
            link: (inner) => (
              <Link to="/docs" reloadDocument>
                {inner}
              </Link>
            ),
          },
        )}
      </p>
    </section>
  )
}
