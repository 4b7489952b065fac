import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { face } from '../../shared/face.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { cleanText, dateText } from '../../shared/text.ts'
import { useNameCheck } from '../act/name-check.ts'
import { clearOverrides } from '../act/overrides.ts'
import { Text } from '../act/text-field.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { keepWaiting, stateOf, takeBack, type Waiting } from './ask-to-join.ts'
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
  readonly onCreated: (created: Created & { name: string }) => void
  readonly onEnd: () => void
}

/** What who has asked to join sees, also after coming back. */
export function WaitingScreen({ waiting, onCreated, onEnd }: Props) {
  const found = useQuery({
    queryKey: ['asked to join', waiting.ticket],
    queryFn: () => stateOf(waiting.ticket),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? ASK_EVERY_MS : false),
  })
  const end = () => {
    keepWaiting(undefined)
    onEnd()
  }
  const { data, error } = found
  return (
    <div className="form-screen">
      <Title>Join</Title>
      <h1>
        Joining <bdi>{face.name}</bdi>
      </h1>
      {error && <Failed error={error} retry={found.refetch} />}
      {data === undefined && !error && <Loading what="Looking for your request" rows={1} />}
      {data === null && <Gone onEnd={end} />}
      {data?.state === 'waiting' && (
        <Pending askedAt={data.askedAt} ticket={waiting.ticket} onEnd={end} />
      )}
      {data?.state === 'declined' && <Declined answer={data.answer} onEnd={end} />}
      {data?.state === 'approved' && (
        <Approved waiting={waiting} answer={data.answer} onCreated={onCreated} />
      )}
    </div>
  )
}

function Gone({ onEnd }: { onEnd: () => void }) {
  return (
    <>
      <Notice tone="warn">Your request is not there any more. You can ask again.</Notice>
      <button type="button" className="primary" onClick={onEnd}>
        Ask again
      </button>
    </>
  )
}

function Pending({
  askedAt,
  ticket,
  onEnd,
}: {
  askedAt: number
  ticket: string
  onEnd: () => void
}) {
  const [problem, setProblem] = useState<string>()
  const withdraw = async () => {
    try {
      await takeBack(ticket)
      onEnd()
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      <Notice tone="plain">
        You asked on {dateText(askedAt)}. A moderator reads it and lets you in, or tells you why
        not.
      </Notice>
      <p>
        You can close this page and come back on this device. Nothing is public until you were let
        in.
      </p>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button type="button" className="secondary" onClick={withdraw}>
        Take it back
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
      <Notice tone="warn">You were not let in. What you had written was deleted.</Notice>
      <Answer text={answer} />
      <button type="button" className="secondary" onClick={onEnd}>
        Forget it here
      </button>
    </>
  )
}

type ApprovedProps = Pick<Props, 'waiting' | 'onCreated'> & { readonly answer: string }

/** Opens the key that this browser keeps, and makes the account. */
function Approved({ waiting, answer, onCreated }: ApprovedProps) {
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
    name !== '' &&
    check.isGood &&
    isGoodDisplay(display) &&
    (!isByPassword || password !== '') &&
    terms !== undefined &&
    isAgreed(terms, agreed)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      const secret = isByPassword ? password : undefined
      const words = attempt.current.words ?? (await wordsOf(waiting, secret))
      const begun = { ...attempt.current, words, copy, password: secret }
      const wanted = { name, display, invite: '', picture: undefined, password: secret }
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
    <form className="fields" onSubmit={submit}>
      <Notice tone="good">You were let in. Show that it is you, and your account is made.</Notice>
      <Answer text={answer} />
      <fieldset className="fields" disabled={isBusy}>
        <legend className="unseen">Your account</legend>
        <NameFields display={display} name={name} onDisplay={setDisplay} onName={setName} />
        {isByPassword && (
          <Text
            label="Password"
            help="The one that you chose when you asked."
            value={password}
            maxLength={256}
            type="password"
            autoComplete="current-password"
            onChange={setPassword}
          />
        )}
        {terms && <ConsentFields terms={terms} agreed={agreed} onChange={setAgreed} />}
      </fieldset>
      {isBusy && <Busy>Making your account. This takes a few seconds …</Busy>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <button type="submit" className="primary" disabled={isBusy || !isGood}>
        {isByPassword ? 'Create account' : 'Create account with your passkey'}
      </button>
    </form>
  )
}

async function wordsOf({ copy }: Waiting, password: string | undefined): Promise<string> {
  if (password !== undefined) return openWithPassword(copy, password)
  return openWithPasskey(copy, (await askPasskey(await newChallenge())).secret)
}
