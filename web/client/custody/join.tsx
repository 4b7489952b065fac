import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { chainName } from '../../wallets/provider.ts'
import { Field } from '../act/field.tsx'
import { pathAfterJoining } from '../act/join-path.ts'
import { MAX_NAME_LENGTH, useNameCheck } from '../act/name-check.ts'
import { askInfo } from '../act/network.ts'
import { clearOverrides } from '../act/overrides.ts'
import { Text } from '../act/text-field.tsx'
import { useTried } from '../act/use-tried.ts'
import { FileChooser, PICTURES } from '../media/attachments.tsx'
import { useOwnRole } from '../moderation/calls.ts'
import { Door } from '../parts/door.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { isDevelopment } from '../shell/development-panel.tsx'
import { askToJoin, keepWaiting, keptWaiting, type Waiting } from './ask-to-join.ts'
import { useTerms } from './consent.ts'
import { ConsentFields, isAgreed, NOTHING_AGREED } from './consent-fields.tsx'
import { type Created, createAccount, FIRST_ATTEMPT, sealWords } from './create-account.ts'
import { Invited, NotInvited, type Role, useInvite } from './inviter.tsx'
import { isGoodDisplay, NameFields } from './names.tsx'
import { canKeepKeys, mayUsePasskeys } from './passkey.ts'
import { MIN_PASSWORD_CHARACTERS } from './password.ts'
import { RecoveryKit } from './recovery-kit.tsx'
import { readRecovery } from './recovery-terms.ts'
import { noteSaved } from './reminder.ts'
import { connectionOf } from './words.ts'
import './custody.css'

/** With the role that the invite has promised. */
type Joined = Created & { readonly name: string; readonly promised?: Role | null | undefined }

const WaitingScreen = lazy(async () => {
  const { WaitingScreen } = await import('./waiting.tsx')
  return { default: WaitingScreen }
})

/** The screen on which one gets an account. The key of the account is made in this browser. */
export function Component() {
  const info = useQuery({ queryKey: ['network'], queryFn: askInfo })
  const [created, setCreated] = useState<Joined>()
  const [waiting, setWaiting] = useState(keptWaiting)
  if (info.isPending) return <Loading isScreen what={t('Loading')} rows={2} />
  if (info.error) return <Failed error={info.error} retry={info.refetch} isScreen />
  if (created) return <Words {...created} />
  if (waiting) {
    const end = () => setWaiting(undefined)
    return (
      <Suspense fallback={<Loading isScreen what={t('Loading')} rows={2} />}>
        <WaitingScreen
          waiting={waiting}
          signup={info.data.signup}
          onCreated={setCreated}
          onEnd={end}
        >
          <OtherWays />
        </WaitingScreen>
      </Suspense>
    )
  }
  const { accounts, signup } = info.data
  return (
    <div className="form-screen">
      <Title>{t('Join')}</Title>
      <h1>{t('Join')}</h1>
      <Door />
      {accounts.source === 'chain' ? (
        <Notice tone="warn">
          {t(
            'Accounts of this network are kept by contracts on {chainName}: create one there, and sign in here.',
            { chainName: chainName(accounts.chainId) },
          )}
        </Notice>
      ) : signup === 'closed' ? (
        <Notice tone="warn">{t('This server takes no new accounts. Ask its operator.')}</Notice>
      ) : (
        <JoinForm signup={signup} onCreated={setCreated} onWaiting={setWaiting} />
      )}
      <OtherWays />
    </div>
  )
}

function OtherWays() {
  const { search } = new URL(location.href)
  return (
    <section className="other-ways" aria-labelledby="other-ways">
      <h2 id="other-ways">{t('You have an account?')}</h2>
      <p className="buttons">
        <Link to={`/join/sign-in${search}`} className="secondary">
          {t('Sign in')}
        </Link>
        <Link to={`/join/wallet${search}`} className="link">
          {t('Use a wallet instead')}
        </Link>
      </p>
      <p className="muted">
        {t('You can read everything without an account.')}
        {isDevelopment() && (
          <>
            {' '}
            {rich('In this development network you can also <link>act as any account</link>.', {
              link: (inner) => <Link to="/development">{inner}</Link>,
            })}
          </>
        )}
      </p>
    </section>
  )
}

type FormProps = {
  signup: string | undefined
  onCreated: (created: Joined) => void
  onWaiting: (waiting: Waiting) => void
}
type Values = { name: string; display: string; invite: string; password: string; reason: string }

function JoinForm({ signup, onCreated, onWaiting }: FormProps) {
  const given = useSearchParams()[0]
  const [values, setValues] = useState<Values>({
    name: given.get('name')?.slice(0, MAX_NAME_LENGTH) ?? '',
    display: '',
    invite: given.get('invite') ?? '',
    password: '',
    reason: '',
  })
  const needsInvite = signup === 'invite'
  /** Who has an invite need not ask. */
  const mustAsk = signup === 'approval' && values.invite.trim() === ''
  const [chosen, setWay] = useState<Way>()
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: canKeepKeys, staleTime: Infinity })
  const way = chosen ?? ((passkeys.data ?? mayUsePasskeys()) ? 'passkey' : 'password')
  const [picture, setPicture] = useState<File>()
  const service = useQuery({ queryKey: ['recovery'], queryFn: () => readRecovery() }).data?.service
  const [isHelped, setHelped] = useState(false)
  const terms = useTerms()
  const [agreed, setAgreed] = useState(NOTHING_AGREED)
  const attempt = useRef(FIRST_ATTEMPT)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const { become } = useSession()
  const queries = useQueryClient()
  const name = useNameCheck(values.name)
  const isGood =
    values.name !== '' &&
    name.isGood &&
    isGoodDisplay(values.display) &&
    terms !== undefined &&
    isAgreed(terms, agreed) &&
    (!needsInvite || values.invite.trim() !== '') &&
    (!mustAsk || values.reason.trim() !== '') &&
    (way === 'passkey' || isStrong(values.password, values.name))
  const { form, isTried, tryAgain } = useTried()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isGood) return tryAgain()
    setBusy(true)
    setProblem(undefined)
    try {
      const password = way === 'password' ? values.password : undefined
      const recovery = (isHelped && service?.address) || undefined
      const wanted = { ...values, picture, password, recovery, terms }
      if (mustAsk) {
        const { words, copy } = await sealWords(wanted, attempt.current, (reached) => {
          attempt.current = reached
        })
        const { name, display } = values
        const called = display.trim() || name
        const reason = values.reason.trim()
        const connection = connectionOf(words)
        const ticket = await askToJoin(connection, { called, reason })
        const waiting = { ticket, address: connection.address, copy, name, display, recovery }
        keepWaiting(waiting)
        onWaiting(waiting)
        return
      }
      const created = await createAccount(wanted, attempt.current, (reached) => {
        attempt.current = reached
      })
      clearOverrides()
      become(created.fid)
      onCreated({ ...created, name: values.name, promised: invite.data?.role })
    } catch (error) {
      setProblem(error as Error)
      setBusy(false)
      // Who may join was changed since this page was opened: it shows what is asked for now.
      if (isAboutJoining(error)) await queries.invalidateQueries({ queryKey: ['network'] })
    }
  }
  const set = (part: keyof Values) => (value: string) =>
    setValues((before) => ({ ...before, [part]: value }))
  const invite = useInvite(values.invite.trim())
  const hasField = needsInvite || signup === 'approval'
  const isAtInvite = hasField && isAboutInvite(problem)
  const atInvite = isAtInvite ? problem : invite.error
  return (
    <form
      ref={form}
      className="fields"
      onSubmit={submit}
      onChange={() => isAboutInvite(problem) && setProblem(undefined)}
    >
      {invite.data && <Invited invitation={invite.data} />}
      {!hasField && invite.error && <NotInvited />}
      <fieldset className="fields" disabled={isBusy}>
        <legend className="unseen">{t('Your account')}</legend>
        {hasField && (
          <Text
            label={needsInvite ? t('Invite code') : t('Invite code, if you have one')}
            help={atInvite?.message ?? inviteText(needsInvite, isTried)}
            isBad={Boolean(atInvite) || (isTried && needsInvite && values.invite.trim() === '')}
            value={values.invite}
            maxLength={64}
            onChange={set('invite')}
          />
        )}
        <NameFields
          display={values.display}
          name={values.name}
          isMissing={isTried}
          onDisplay={set('display')}
          onName={set('name')}
        />
        {mustAsk && <Reason value={values.reason} isTried={isTried} onChange={set('reason')} />}
        {!mustAsk && <OwnPicture picture={picture} choose={setPicture} />}
        <Protection
          way={way}
          onWay={setWay}
          {...values}
          isTried={isTried}
          onPassword={set('password')}
        />
        {service && (
          <label className="way">
            <input
              type="checkbox"
              checked={isHelped}
              onChange={({ target }) => setHelped(target.checked)}
            />
            <span>
              {t('If I lose everything, let the people who run this server help me')}
              <span className="muted detail">
                {t(
                  '{waitDays, plural, one {They can give the account to new words, and so can a link in a mail, once you have confirmed an address. It takes # day, in which you are told and can stop it. You can change this later.} other {They can give the account to new words, and so can a link in a mail, once you have confirmed an address. It takes # days, in which you are told and can stop it. You can change this later.}}',
                  { waitDays: service.waitDays },
                )}
              </span>
            </span>
          </label>
        )}
        <ConsentFields terms={terms} agreed={agreed} isTried={isTried} onChange={setAgreed} />
      </fieldset>
      {isBusy && (
        <Busy>
          {mustAsk
            ? t('Asking. This takes a few seconds …')
            : t('Making your account. This takes a few seconds …')}
        </Busy>
      )}
      {problem && !isAtInvite && <Notice tone="bad">{problem.message}</Notice>}
      <button type="submit" className="primary" disabled={isBusy || !terms}>
        {isBusy ? t('Waiting …') : mustAsk ? t('Ask to join') : t('Create account')}
      </button>
    </form>
  )
}

const INVITED = t('This server is open to people with an invite.')
const inviteText = (isNeeded: boolean, isTried: boolean) =>
  isNeeded
    ? isTried
      ? t('{invited} Enter the code of yours.', { invited: INVITED })
      : INVITED
    : NOT_INVITED
const NOT_INVITED = t('With one you need not wait for a moderator.')
const MAX_REASON_CHARACTERS = 1_000

type ReasonProps = { value: string; isTried: boolean; onChange: (value: string) => void }

function Reason({ value, isTried, onChange }: ReasonProps) {
  const isMissing = isTried && value.trim() === ''
  return (
    <Field
      label={t('Why do you want to join?')}
      isBad={isMissing}
      help={t('Moderators read it and let you in. It is deleted when they have decided.')}
    >
      {(id, help) => (
        <textarea
          id={id}
          rows={3}
          maxLength={MAX_REASON_CHARACTERS}
          value={value}
          aria-describedby={help}
          aria-invalid={isMissing}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** Whether the server refused the invite, which is told at its field. */
const isAboutInvite = (error: Error | undefined): error is Refusal =>
  error instanceof Refusal && /^signup\./.test(error.reason ?? '')

/** Whether the server admits in another way than this page has it. */
const isAboutJoining = (error: unknown): boolean =>
  isAboutInvite(error as Error) || (error instanceof Refusal && error.reason === 'not_supported')

const isStrong = (password: string, name: string) =>
  [...password].length >= MIN_PASSWORD_CHARACTERS && !password.toLowerCase().startsWith(name)

/** The picture of the profile, which is sent once there is an account. */
function OwnPicture({
  picture,
  choose,
}: {
  picture: File | undefined
  choose: (file: File | undefined) => void
}) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!picture) return setUrl(undefined)
    const made = URL.createObjectURL(picture)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return (
    <div className="field">
      <p className="label">{t('Your picture (optional)')}</p>
      <div className="picture-field">
        {url && <img src={url} alt="" className="preview-picture" />}
        <FileChooser
          text={picture ? t('Choose another one') : t('Choose a picture')}
          accept={PICTURES}
          choose={([file]) => choose(file)}
        />
        {picture && (
          <button type="button" className="link" onClick={() => choose(undefined)}>
            {t('Remove')}
          </button>
        )}
      </div>
    </div>
  )
}

type Way = 'passkey' | 'password'
type ProtectionProps = {
  way: Way
  onWay: (way: Way) => void
  name: string
  password: string
  isTried: boolean
  onPassword: (password: string) => void
}

/** How the key of the account is locked. */
function Protection({ way, onWay, name, password, isTried, onPassword }: ProtectionProps) {
  const isBad = (password !== '' || isTried) && !isStrong(password, name || '\n')
  const choice = (one: Way, text: string, help: string) => (
    <label className="way">
      <input type="radio" name="way" checked={way === one} onChange={() => onWay(one)} />
      <span>
        {text}
        <span className="muted detail">{help}</span>
      </span>
    </label>
  )
  return (
    <fieldset className="ways">
      <legend>{t('How you sign in')}</legend>
      {mayUsePasskeys() &&
        choice(
          'passkey',
          t('Passkey'),
          t('Your fingerprint, face or screen lock. Nothing to remember.'),
        )}
      {choice('password', t('Password'), t('It cannot be reset by anybody, so write it down.'))}
      {way === 'password' && (
        <Text
          label={t('Password')}
          help={t(
            'At least {minPasswordCharacters} characters, and not your name. Four random words are good.',
            { minPasswordCharacters: MIN_PASSWORD_CHARACTERS },
          )}
          isBad={isBad}
          value={password}
          maxLength={256}
          type="password"
          autoComplete="new-password"
          onChange={onPassword}
        />
      )}
    </fieldset>
  )
}

function Words({ fid, words, name, promised, notKept, noPicture }: Joined) {
  const role = useOwnRole()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const [isSaved, setSaved] = useState(false)
  const saved = () => {
    noteSaved(fid)
    setSaved(true)
  }
  return (
    <div className="form-screen">
      <Title>{t('Your recovery words')}</Title>
      <h1>{t('Welcome, {name}. Save your recovery words', { name })}</h1>
      <p>
        {notKept === undefined
          ? t(
              'These 12 words bring your account back if you lose this device. Nobody else has them.',
            )
          : t(
              'These 12 words bring your account back if you lose this device or clear this browser. Nobody else has them.',
            )}
      </p>
      {notKept !== undefined && (
        <Notice tone="warn">
          {t(
            'The server did not keep the locked copy of your key, so you can sign in on this browser only until you add it under “My account”. {notKept}',
            { notKept },
          )}
        </Notice>
      )}
      {noPicture !== undefined && (
        <Notice tone="warn">
          {t('Your picture was not taken. {noPicture} You can add another one to your profile.', {
            noPicture,
          })}
        </Notice>
      )}
      <RoleNotice role={role} promised={promised} />
      <RecoveryKit words={words} name={name} onSaved={saved} />
      <button
        type="button"
        className={isSaved ? 'primary' : 'secondary'}
        onClick={() =>
          role === 'operator' ? location.assign('/room') : navigate(pathAfterJoining(params))
        }
      >
        {isSaved ? t('Go on') : t('Later: remind me')}
      </button>
    </div>
  )
}

/** Whether the invite has made the newcomer what it promised. */
function RoleNotice({
  role,
  promised,
}: {
  role: Role | null | undefined
  promised: Role | null | undefined
}) {
  if (role === 'operator') {
    return (
      <Notice tone="good">
        {t('You are an operator of this server. The first steps come after these words.')}
      </Notice>
    )
  }
  if (role) return <Notice tone="good">{t('You are a moderator of this server.')}</Notice>
  if (!promised || role === undefined) return null
  return (
    <Notice tone="warn">
      {promised === 'moderator'
        ? t(
            'You have joined as a member and not as a moderator: the server has as many people with a role as it can have, or somebody else has used the invite. Tell who invited you.',
          )
        : t(
            'You have joined as a member and not as the operator: the server has as many people with a role as it can have, or somebody else has used the invite. Tell who invited you.',
          )}
    </Notice>
  )
}
