import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { face } from '../../shared/face.ts'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText, dateText } from '../../shared/text.ts'
import { availabilityOf, findFid } from '../act/account-calls.ts'
import { useNameCheck } from '../act/name-check.ts'
import { clearOverrides } from '../act/overrides.ts'
import { Text } from '../act/text-field.tsx'
import { useTried } from '../act/use-tried.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { type JoinState, keepWaiting, stateOf, takeBack, type Waiting } from './ask-to-join.ts'
import { useTerms } from './consent.ts'
import { ConsentFields, isAgreed, NOTHING_AGREED } from './consent-fields.tsx'
import { type Created, createAccount, FIRST_ATTEMPT } from './create-account.ts'
import { isGoodDisplay, NameFields } from './names.tsx'
import { askPasskey, openWithPasskey } from './passkey.ts'
import { openWithPassword } from './password.ts'
import { newChallenge } from './server.ts'

/** How often who waits asks what has become of it. */
const ASK_EVERY_MS = 10_000

type Props = {
  readonly waiting: Waiting
  /** Who may join, as this page has read it: the request knows better. */
  readonly signup: string | undefined
  readonly onCreated: (created: Created & { name: string }) => void
  readonly onEnd: () => void
  /** The other ways in. */
  readonly children: ReactNode
}

type Found = {
  /** Null: the request is gone. */
  readonly request: JoinState | null
  /** The account of the key, when there is one: a page may have been closed after the registration. */
  readonly fid: number | undefined
  /** Whether the account has the name that was wanted. */
  readonly isNamed: boolean
}

async function findOut({ ticket, address, name }: Waiting): Promise<Found> {
  const request = await stateOf(ticket)
  const fid = request === null ? await findFid(address) : undefined
  const isNamed = fid !== undefined && (await availabilityOf(name)).fid === fid
  return { request, fid, isNamed }
}

const mayChange = ({ request, fid }: Found): boolean =>
  request === null ? fid === undefined : request.state === 'waiting'

/** What who has asked to join sees, also after coming back. */
export function WaitingScreen({ waiting, signup, onCreated, onEnd, children }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['asked to join', waiting.ticket],
    queryFn: () => findOut(waiting),
    refetchInterval: ({ state }) => (state.data && mayChange(state.data) ? ASK_EVERY_MS : false),
  })
  const end = () => {
    keepWaiting(undefined)
    onEnd()
  }
  const finish = { waiting, onCreated }
  return (
    <div className="form-screen">
      <Title>{t('Join')}</Title>
      <h1>{rich('Joining {name}', { name: <bdi>{face.name}</bdi> })}</h1>
      {error && <Failed error={error} retry={refetch} />}
      {data === undefined && !error && <Loading what={t('Looking for your request')} rows={1} />}
      {data && (
        <State {...data} signup={data.request?.signup ?? signup} finish={finish} onEnd={end} />
      )}
      {data?.request && data.request.state !== 'declined' && (
        <StartOver
          ticket={waiting.ticket}
          isWaiting={data.request.state === 'waiting'}
          onEnd={end}
        />
      )}
      {children}
    </div>
  )
}

type StateProps = Found & {
  readonly signup: string | undefined
  readonly finish: Pick<Props, 'waiting' | 'onCreated'>
  readonly onEnd: () => void
}

const UNFINISHED = t(
  'Your account was registered before this page was closed. Show that it is you, and go on.',
)
const WITH_INVITE = t('With your invite you need not wait. Show that it is you, and join.')
const OPEN = t('Everybody may join now. Show that it is you, and your account is made.')
const LET_IN = t('You were let in. Show that it is you, and your account is made.')
const INVITE_ONLY = t(
  'This server takes people with an invite now: open the link of an invite in this browser.',
)
const STILL_WAITING = t(
  'This server takes people with an invite now. Your request still waits: a moderator may let you in, or you open the link of an invite in this browser.',
)
const CLOSED = t('This server takes no new accounts now. Ask its operator.')
const STILL_ASKED = t(
  'This server takes no new accounts now. Your request is kept: come back when it takes people again.',
)
/** So long an approval counts. */
const APPROVED_DAYS = 14
const DAY_SECONDS = 86_400
const stillApproved = (decidedAt: number) =>
  t(
    'You were let in, and this server takes no new accounts now. You can join if it takes people again before {date}.',
    { date: dateText(decidedAt + APPROVED_DAYS * DAY_SECONDS) },
  )

/** What is to be done next. */
function State({ request, fid, isNamed, signup, finish, onEnd }: StateProps) {
  const given = useSearchParams()[0].get('invite')?.trim() ?? ''
  const [isPutAside, setPutAside] = useState(false)
  const invite = isPutAside ? '' : given
  if (fid !== undefined) return <Finish {...finish} why={UNFINISHED} isNamed={isNamed} />
  if (signup === 'closed') return <Notice tone="warn">{closedText(request)}</Notice>
  if (signup === 'open') return <Finish {...finish} why={OPEN} />
  // An approval counts also after people need an invite again.
  if (request?.state === 'approved') {
    return <Finish {...finish} why={LET_IN} answer={request.answer} />
  }
  if (invite !== '') {
    return (
      <>
        <Finish {...finish} why={WITH_INVITE} invite={invite} />
        <button type="button" className="link" onClick={() => setPutAside(true)}>
          {t('Do not use the invite')}
        </button>
      </>
    )
  }
  if (request?.state === 'declined') return <Declined answer={request.answer} onEnd={onEnd} />
  if (signup === 'invite') {
    return <Notice tone="warn">{request === null ? INVITE_ONLY : STILL_WAITING}</Notice>
  }
  if (request === null) return <Gone onEnd={onEnd} />
  return <Pending askedAt={request.askedAt} />
}

function closedText(request: JoinState | null): string {
  if (request?.state === 'approved') return stillApproved(request.decidedAt!)
  return request?.state === 'waiting' ? STILL_ASKED : CLOSED
}

function Gone({ onEnd }: { onEnd: () => void }) {
  return (
    <>
      <Notice tone="warn">{t('Your request is not there any more. You can ask again.')}</Notice>
      <button type="button" className="primary" onClick={onEnd}>
        {t('Ask again')}
      </button>
    </>
  )
}

const Pending = ({ askedAt }: { askedAt: number }) => (
  <>
    <Notice tone="plain">
      {t('You asked on {date}. A moderator reads it and lets you in, or tells you why not.', {
        date: dateText(askedAt),
      })}
    </Notice>
    <p>
      {t(
        'You can close this page and come back on this device. Nothing is public until you were let in.',
      )}
    </p>
  </>
)

type StartOverProps = {
  readonly ticket: string
  readonly isWaiting: boolean
  readonly onEnd: () => void
}

/** Takes the request back, and forgets it here. */
function StartOver({ ticket, isWaiting, onEnd }: StartOverProps) {
  const [problem, setProblem] = useState<string>()
  const startOver = async () => {
    try {
      await takeBack(ticket)
      onEnd()
    } catch (error) {
      // Used up meanwhile, on another page.
      if (error instanceof Refusal && error.status === 404) return onEnd()
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button type="button" className="secondary" onClick={startOver}>
        {isWaiting ? t('Take it back') : t('Start over')}
      </button>
    </>
  )
}

const Answer = ({ text }: { text: string }) =>
  text === '' ? null : (
    <blockquote dir="auto" className="answer">
      {cleanText(text)}
    </blockquote>
  )

function Declined({ answer, onEnd }: { answer: string; onEnd: () => void }) {
  return (
    <>
      <Notice tone="warn">{t('You were not let in. What you had written was deleted.')}</Notice>
      <Answer text={answer} />
      <button type="button" className="secondary" onClick={onEnd}>
        {t('Forget it here')}
      </button>
    </>
  )
}

type FinishProps = Pick<Props, 'waiting' | 'onCreated'> & {
  /** Why one need not wait. */
  readonly why: string
  readonly answer?: string
  readonly invite?: string
  /** Whether the account has its name already. */
  readonly isNamed?: boolean
}

/** Opens the key that this browser keeps, and makes the account. */
function Finish({
  waiting,
  why,
  answer = '',
  invite = '',
  isNamed = false,
  onCreated,
}: FinishProps) {
  const { become } = useSession()
  const attempt = useRef(FIRST_ATTEMPT)
  const [display, setDisplay] = useState(waiting.display)
  const [name, setName] = useState(waiting.name)
  const [password, setPassword] = useState('')
  const [agreed, setAgreed] = useState(NOTHING_AGREED)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const terms = useTerms()
  const check = useNameCheck(name)
  const { copy, recovery } = waiting
  const isByPassword = copy.kind === 'password'
  const isGood =
    (isNamed || (name !== '' && check.isGood)) &&
    isGoodDisplay(display) &&
    (!isByPassword || password !== '') &&
    terms !== undefined &&
    isAgreed(terms, agreed)
  const { form, isTried, tryAgain } = useTried()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isGood) return tryAgain()
    setBusy(true)
    setProblem(undefined)
    try {
      const secret = isByPassword ? password : undefined
      const words = attempt.current.words ?? (await wordsOf(waiting, secret))
      const begun = { ...attempt.current, words, copy, password: secret }
      const wanted = { name, display, invite, picture: undefined, password: secret }
      const created = await createAccount({ ...wanted, recovery, terms }, begun, (reached) => {
        attempt.current = reached
      })
      keepWaiting(undefined)
      clearOverrides()
      become(created.fid)
      onCreated({ ...created, name })
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <form ref={form} className="fields" onSubmit={submit}>
      <Notice tone="good">{why}</Notice>
      <Answer text={answer} />
      <fieldset className="fields" disabled={isBusy}>
        <legend className="unseen">{t('Your account')}</legend>
        {!isNamed && (
          <NameFields
            {...{ display, name }}
            isMissing={isTried}
            onDisplay={setDisplay}
            onName={setName}
          />
        )}
        {isByPassword && (
          <Text
            label={t('Password')}
            help={t('The one that you chose when you asked.')}
            isBad={isTried && password === ''}
            value={password}
            maxLength={256}
            type="password"
            autoComplete="current-password"
            onChange={setPassword}
          />
        )}
        <ConsentFields terms={terms} agreed={agreed} isTried={isTried} onChange={setAgreed} />
      </fieldset>
      {isBusy && <Busy>{t('Making your account. This takes a few seconds …')}</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button type="submit" className="primary" disabled={isBusy || !terms}>
        {isByPassword ? t('Create account') : t('Create account with your passkey')}
      </button>
    </form>
  )
}

async function wordsOf({ copy }: Waiting, password: string | undefined): Promise<string> {
  if (password !== undefined) return openWithPassword(copy, password)
  return openWithPasskey(copy, (await askPasskey(await newChallenge())).secret)
}
