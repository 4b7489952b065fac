import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { listText } from '../../shared/text.ts'
import { callApp, useApp } from '../api.ts'
import { useUnreadRules } from '../channels/own-channels.ts'
import { AttachmentList, FileChooser, useAttachments } from '../media/attachments.tsx'
import { STANDING, useIsConsentAsked, useIsSuspended } from '../moderation/calls.ts'
import { NewAccountTerms } from '../moderation/new-account.tsx'
import { useOwnUser } from '../parts/discover.tsx'
import { handleOf, nameOf, Portrait } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel, User } from '../types.ts'
import { useAct } from './actor.ts'
import { hasPlausibleHost, mentionsIn, nameAt, urlsIn, withoutMentions } from './cast-draft.ts'
import { type Draft, findDraft, forgetDraft, NO_DRAFT, saveDraft } from './drafts.ts'
import { type BrowserKey, findKey } from './key-store.ts'
import { LinkPreview } from './link-preview.tsx'
import { dismissSuccesses } from './notices.tsx'
import { changed, isWholePoll, makePoll, newPoll, unmakePoll } from './poll.ts'
import { MAX_POSTS, sendDraft, Unfinished } from './sending.ts'
import { useFinishedUrls } from './use-finished-urls.ts'
import {
  byteLength,
  type CastRef,
  MAX_CAST_BYTES,
  MAX_EMBEDS,
  MAX_LONG_CAST_BYTES,
  signCast,
} from './writes.ts'
import './composer.css'

const Suspended = lazy(() => import('../moderation/suspended.tsx'))
const AskConsent = lazy(() => import('../custody/ask-consent.tsx'))
const ReadRules = lazy(() => import('../channels/read-rules.tsx'))
const PollEditor = lazy(() => import('./poll-editor.tsx'))

type Props = {
  /** By which the draft is found again. */
  place: string
  parent?: Cast | undefined
  quote?: Cast | undefined
  channelId?: string | undefined
  /** What a mini app suggests. It is no draft: it is not kept. */
  given?: { readonly text: string; readonly urls: readonly string[] } | undefined
  /** Whether it cannot be sent yet. */
  isBlocked?: boolean
  sent: (hash: string, cast: { readonly text: string; readonly urls: readonly string[] }) => void
}

const refOf = (cast: Cast | undefined): CastRef | undefined =>
  cast && { fid: cast.author.fid, hash: cast.hash }

/**
 * Where one writes, and agrees to the rules before one sends. Who is suspended reads that instead, and drafts stay; who is suspended
 * while writing reads it above what was typed, which cannot be sent.
 */
export function Composer({ isBlocked = false, ...props }: Props) {
  const isAsked = useIsConsentAsked()
  const isSuspended = useIsSuspended()
  const [isTouched, setTouched] = useState(false)
  useEffect(dismissSuccesses, [])
  return (
    <>
      {isSuspended ? (
        <Suspense>
          <Suspended />
        </Suspense>
      ) : (
        isAsked && (
          <Suspense>
            <AskConsent />
          </Suspense>
        )
      )}
      {(!isSuspended || isTouched) && (
        <Writer
          {...props}
          isBlocked={isBlocked || isAsked || isSuspended}
          onTouched={() => setTouched(true)}
        />
      )}
    </>
  )
}

/** `onTouched`: something is typed here, chosen or sent. */
type WriterProps = Props & { readonly onTouched: () => void }

/** What was not sent stays, also when the page is left. */
function Writer({ given, channelId, ...props }: WriterProps) {
  const { fid = 0 } = useSession()
  const [{ begun, round, failed }, setState] = useState<{
    begun: Draft
    /** A thread that was sent in part goes on in a fresh form. */
    round: number
    failed?: string
  }>(() => ({
    begun: findDraft(fid, props.place) ?? {
      ...NO_DRAFT,
      text: given?.text ?? '',
      channel: channelId ?? '',
    },
    round: 0,
  }))
  const goOn = (rest: Draft, why: string) =>
    setState({ begun: rest, round: round + 1, failed: why })
  return <Form key={round} {...props} given={given} begun={begun} failed={failed} goOn={goOn} />
}

type FormProps = Omit<WriterProps, 'channelId'> & {
  begun: Draft
  /** Why the form that was before it did not send everything. */
  failed: string | undefined
  goOn: (rest: Draft, why: string) => void
}

function Form({
  place,
  parent,
  quote,
  given,
  isBlocked: isHeld = false,
  sent,
  onTouched,
  begun,
  failed,
  goOn,
}: FormProps) {
  const act = useAct()
  const queries = useQueryClient()
  const { fid = 0 } = useSession()
  const own = useOwnUser()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const [text, setText] = useState(begun.text)
  const [more, setMore] = useState(begun.more)
  const [channel, setChannel] = useState(begun.channel)
  const [poll, setPoll] = useState(begun.poll)
  const [cursor, setCursor] = useState(text.length)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState(failed)
  const known = useRef(new Map<string, number>())
  const { after, pending } = begun
  const inChannel = parent || after ? '' : channel
  const unread = useUnreadRules(inChannel)
  const isBlocked = isHeld || unread.isPending || unread.rules !== undefined
  const room = MAX_EMBEDS - (quote ? 1 : 0) - (poll ? 1 : 0)
  const attachments = useAttachments(room, () => findKey(fid), begun)
  const { files, isSensitive } = attachments
  const draft: Draft = { text, channel, files, isSensitive, poll, more, after, pending }
  const written = JSON.stringify(draft)
  /** Also a picture that is dropped, and a poll: they are no input of a field. */
  const [first] = useState(written)
  const isChanged = written !== first || attachments.items.length > begun.files.length
  useEffect(() => {
    if (isChanged) onTouched()
  })
  const keep = (rest: Draft) => {
    if (!given) saveDraft(fid, place, rest)
  }
  useEffect(() => {
    if (!given) saveDraft(fid, place, JSON.parse(written))
  }, [fid, place, given, written])
  const left = room - attachments.items.length
  const urls = [...new Set([...(given?.urls ?? []), ...urlsIn(text, left)])]
    .filter((url) => !hidden.includes(url))
    .slice(0, left)
  // One goes on where a draft ends.
  useEffect(() => {
    const { current } = field
    current?.setSelectionRange(current.value.length, current.value.length)
  }, [])
  const { isFinished, paste } = useFinishedUrls(text, cursor)
  const { text: rest } = withoutMentions(text, known.current)
  const bytes = byteLength(rest.trim())
  const isEmpty = bytes === 0 && urls.length + attachments.urls.length === 0 && !quote && !poll
  const isWhole = more.every((one) => isSendable(one, known.current))

  /** Signs the first post of what is left. Only that of the form has pictures, links that were chosen, a poll and a place. */
  const sign = async (key: BrowserKey, rest: Draft) => {
    const isFirst = rest.text === text && rest.more.length === more.length
    // Other clients may know nothing of polls: they show at least the question.
    const trimmed = rest.text.trim() || (rest.poll?.question.trim() ?? '')
    await learnNames(trimmed, known.current)
    const parts = withoutMentions(trimmed, known.current)
    if (!isFirst) {
      const parentOf = { fid, hash: rest.after! }
      return signCast(key, { ...parts, urls: urlsIn(trimmed), parent: parentOf })
    }
    const parentUrl = inChannel ? (await channelOf(inChannel)).url : undefined
    await attachments.describeAll(key)
    const all = [...(poll ? [await makePoll(key, poll)] : []), ...attachments.urls, ...urls]
    const replied = after ? { fid, hash: after } : refOf(parent)
    return signCast(key, { ...parts, urls: all, quote: refOf(quote), parent: replied, parentUrl })
  }
  const send = async (event: FormEvent) => {
    event.preventDefault()
    // Keys send as well.
    if (isBlocked) return
    onTouched()
    setSending(true)
    setError(undefined)
    try {
      const undescribed = await attachments.findUndescribed()
      if (undescribed.length > 0) {
        throw new Error(
          t('Describe {undescribed}: this server asks for it.', {
            undescribed: listText(undescribed),
          }),
        )
      }
      let result: readonly string[] | Unfinished = []
      await act(
        async (key) => {
          const how = { sign: (rest: Draft) => sign(key, rest), keep }
          result = await sendDraft(draft, how).catch((reason) => reason)
        },
        { failed: '' },
      )
      finish(result)
    } catch (reason) {
      setError(t('Nothing was sent. {message}', { message: (reason as Error).message }))
    } finally {
      setSending(false)
    }
  }
  /** What is left. A post that is surely not stored leaves no poll behind: the next one has another. */
  const withoutPoll = ({ rest, sent }: Unfinished): Draft => {
    if (!poll || sent.length > 0 || rest.pending) return rest
    findKey(fid).then((key) => key && unmakePoll(key, poll))
    const next = changed(poll, {})
    setPoll(next)
    return { ...rest, poll: next }
  }
  const finish = (result: readonly string[] | Unfinished) => {
    if (result instanceof Unfinished) {
      // It may be suspended since, or asked to agree to new rules.
      void queries.invalidateQueries({ queryKey: STANDING })
      const { sent, message } = result
      const rest = withoutPoll(result)
      const all = sent.length + 1 + rest.more.length
      if (sent.length > 0) {
        const count = sent.length
        goOn(
          rest,
          rest.pending
            ? t(
                '{count, plural, one {# of {all} were sent. {message}} other {# of {all} were sent. {message}}}',
                { count, all, message },
              )
            : t(
                '{count, plural, one {# of {all} were sent, this one was not. {message}} other {# of {all} were sent, this one was not. {message}}}',
                { count, all, message },
              ),
        )
      } else if (rest.pending) goOn(rest, message)
      else if (pending) goOn(rest, t('Nothing was sent. {message}', { message }))
      else throw result
      return
    }
    const [hash] = result
    if (!hash) return
    forgetDraft(fid, place)
    sent(hash, { text: text.trim(), urls: [...attachments.urls, ...urls] })
  }
  const typed = nameAt(text, cursor)
  const complete = (user: User) => {
    if (!typed) return
    known.current.set(user.username, user.fid)
    const before = `${text.slice(0, typed.start)}@${user.username} `
    setText(before + text.slice(typed.end))
    setCursor(before.length)
    field.current?.focus()
  }
  return (
    <form
      className="composer"
      onInput={onTouched}
      onSubmit={send}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (attachments.add(event.dataTransfer.files)) event.preventDefault()
      }}
    >
      <NewAccountTerms />
      {unread.rules && (
        <Suspense fallback={null}>
          <ReadRules id={inChannel} rules={unread.rules} />
        </Suspense>
      )}
      <label htmlFor={id} className="unseen">
        {parent ? t('Your reply to {who}', { who: handleOf(parent.author) }) : t('Your {post}')}
      </label>
      <div className="composer-text">
        {own && <Portrait user={own} />}
        <div>
          {!parent && !after && <ChannelChoice value={channel} choose={setChannel} />}
          <textarea
            id={id}
            ref={field}
            rows={5}
            dir="auto"
            // biome-ignore lint/a11y/noAutofocus: the screen is for writing
            autoFocus
            value={text}
            readOnly={pending !== undefined}
            placeholder={parent ? t('Write your reply') : t('What is new?')}
            aria-describedby={`${id}-count`}
            aria-invalid={bytes > MAX_LONG_CAST_BYTES}
            onPaste={(event) => {
              if (attachments.add(event.clipboardData.files)) event.preventDefault()
              else paste(event.clipboardData.getData('text'))
            }}
            onChange={({ target }) => {
              setText(target.value)
              setCursor(target.selectionStart)
            }}
            onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
            onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
              if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
            }}
          />
        </div>
      </div>
      {typed && <Suggestions name={typed.name} choose={complete} />}
      <AttachmentList attachments={attachments} />
      {urls
        .filter((url) => isFinished(url) || given?.urls.includes(url))
        .map((url) => (
          <LinkPreview
            key={url}
            url={url}
            isAsked={hasPlausibleHost(url) || given?.urls.includes(url) === true}
            remove={() => setHidden([...hidden, url])}
          />
        ))}
      {poll && (
        <Suspense fallback={null}>
          <PollEditor
            poll={poll}
            change={(part) => setPoll(changed(poll, part))}
            remove={() => setPoll(undefined)}
          />
        </Suspense>
      )}
      {more.map((one, i) => (
        <FurtherPost
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what it is
          key={i}
          place={i + 2}
          text={one}
          bytes={byteLength(withoutMentions(one, known.current).text.trim())}
          change={(next) => setMore(more.with(i, next))}
          remove={() => setMore(more.toSpliced(i, 1))}
        />
      ))}
      {pending && (
        <Notice tone="warn">
          {t(
            'It is not known whether this arrived. It is sent again as it is, and cannot be there twice.',
          )}
        </Notice>
      )}
      {error && <Notice tone="bad">{error}</Notice>}
      <div className="composer-foot">
        <FileChooser
          text={t('Picture')}
          isTool
          isMultiple
          isDisabled={attachments.isFull}
          choose={attachments.add}
        />
        {!poll && (
          <button
            type="button"
            className="tool"
            aria-label={t('Poll')}
            title={t('Poll')}
            disabled={left === 0}
            onClick={() => setPoll(newPoll())}
          >
            <Icon name="poll" />
          </button>
        )}
        {!given && more.length + 1 < MAX_POSTS && (
          <button
            type="button"
            className="tool"
            aria-label={t('Add another {post}')}
            title={t('Add another {post}')}
            disabled={isEmpty || !isWhole}
            onClick={() => setMore([...more, ''])}
          >
            <Icon name="plus" />
          </button>
        )}
        <div className="composer-send">
          <Count id={`${id}-count`} bytes={bytes} />
          <button
            type="submit"
            className="primary"
            disabled={
              isBlocked ||
              isSending ||
              isEmpty ||
              !isWhole ||
              (poll && !isWholePoll(poll)) ||
              attachments.isPending ||
              bytes > MAX_LONG_CAST_BYTES
            }
          >
            {isSending
              ? t('Sending …')
              : more.length > 0
                ? t('{Verb} all')
                : parent
                  ? t('Reply')
                  : t('{Verb}')}
          </button>
        </div>
      </div>
    </form>
  )
}

/** The number is shown when so little is left. */
const NEAR_END_BYTES = 60

/** What is left, as a ring that fills: in bytes, because the network counts them, for most texts as many characters. */
function Count({ id, bytes }: { id: string; bytes: number }) {
  const isLong = bytes > MAX_CAST_BYTES
  const max = isLong ? MAX_LONG_CAST_BYTES : MAX_CAST_BYTES
  const left = max - bytes
  const text =
    left < 0
      ? t('{left} too many', { left: -left })
      : isLong
        ? t('Long {post}, {left} left', { left })
        : t('{left} left', { left })
  const isShown = isLong || left <= NEAR_END_BYTES
  return (
    <p
      id={id}
      className={left < 0 ? 'count bad' : 'count'}
      title={t('{text}, in bytes of UTF-8', { text })}
    >
      <span className={isShown ? undefined : 'unseen'}>{text}</span>
      <svg className="ring" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8" />
        <circle
          cx="10"
          cy="10"
          r="8"
          pathLength="1"
          strokeDasharray={`${Math.min(1, bytes / max)} 1`}
        />
      </svg>
    </p>
  )
}

/** Whether a further post has something to say, and not too much. */
function isSendable(text: string, known: ReadonlyMap<string, number>): boolean {
  const bytes = byteLength(withoutMentions(text, known).text.trim())
  return bytes > 0 && bytes <= MAX_LONG_CAST_BYTES
}

type FurtherProps = {
  place: number
  text: string
  bytes: number
  change: (text: string) => void
  remove: () => void
}

/** A post that follows in the same thread. */
function FurtherPost({ place, text, bytes, change, remove }: FurtherProps) {
  const id = useId()
  return (
    <div className="further">
      <label htmlFor={id} className="unseen">
        {t('{Post} {place}', { place })}
      </label>
      <textarea
        id={id}
        rows={3}
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: somebody has just asked for it
        autoFocus={text === ''}
        value={text}
        placeholder={t('Go on')}
        aria-describedby={`${id}-count`}
        aria-invalid={bytes > MAX_LONG_CAST_BYTES}
        onChange={({ target }) => change(target.value)}
      />
      <div className="further-foot">
        <button type="button" className="link" onClick={remove}>
          {t('Remove {post} {place}', { place })}
        </button>
        <Count id={`${id}-count`} bytes={bytes} />
      </div>
    </div>
  )
}

const MAX_SUGGESTIONS = 5

/** People whose names begin as what is being typed. */
function Suggestions({ name, choose }: { name: string; choose: (user: User) => void }) {
  const { data } = useApp<{ result: { users: User[] } }>('/user/search', {
    q: name,
    limit: MAX_SUGGESTIONS,
  })
  const users = (data?.result.users ?? []).filter(({ username }) => !username.startsWith('!'))
  if (users.length === 0) return null
  return (
    <ul className="suggestions" aria-label={t('People to mention')}>
      {users.map((user) => (
        <li key={user.fid}>
          <button type="button" onClick={() => choose(user)}>
            <Portrait user={user} size="s" />
            <bdi>{nameOf(user)}</bdi> <bdi className="handle">{handleOf(user)}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

function ChannelChoice({ value, choose }: { value: string; choose: (id: string) => void }) {
  const { data } = useApp<{ channels: Channel[] }>('/channel/list', { limit: 100 })
  const ids = (data?.channels ?? []).map((channel) => channel.id)
  const all = value && !ids.includes(value) ? [value, ...ids] : ids
  return (
    <label className="channel-choice">
      <span className="unseen">{t('Channel')}</span>
      <select value={value} onChange={({ target }) => choose(target.value)}>
        <option value="">{t('No channel')}</option>
        {all.map((one) => (
          <option key={one} value={one} dir="ltr">
            /{one}
          </option>
        ))}
      </select>
    </label>
  )
}

const channelOf = async (channel: string): Promise<Channel> =>
  (await callApp<{ channel: Channel }>('/channel', { query: { id: channel, type: 'id' } })).channel

/** Finds the accounts of names that were typed and not chosen. A name without an account stays text. */
async function learnNames(text: string, known: Map<string, number>): Promise<void> {
  const unknown = [...new Set(mentionsIn(text).map(({ name }) => name))].filter(
    (name) => !known.has(name),
  )
  await Promise.all(
    unknown.map(async (username) => {
      const query = { username }
      const found = await callApp<{ user: User }>('/user/by_username', { query }).catch(
        () => undefined,
      )
      if (found) known.set(username, found.user.fid)
    }),
  )
}
