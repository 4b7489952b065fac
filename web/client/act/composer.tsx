import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { Notice } from '../../shared/page.tsx'
import { callApp, useApp } from '../api.ts'
import { useIsAsked } from '../custody/consent.ts'
import { AttachmentList, FileChooser, useAttachments } from '../media/attachments.tsx'
import { handleOf, nameOf, Portrait } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, Channel, User } from '../types.ts'
import { useAct } from './actor.ts'
import { hasPlausibleHost, mentionsIn, nameAt, urlsIn, withoutMentions } from './cast-draft.ts'
import { findDraft, forgetDraft, NO_DRAFT, saveDraft } from './drafts.ts'
import { findKey } from './key-store.ts'
import { LinkPreview } from './link-preview.tsx'
import { changed, isWholePoll, makePoll, newPoll } from './poll.ts'
import { useFinishedUrls } from './use-finished-urls.ts'
import {
  byteLength,
  type CastRef,
  MAX_CAST_BYTES,
  MAX_EMBEDS,
  MAX_LONG_CAST_BYTES,
  writeCast,
} from './writes.ts'

const AskConsent = lazy(() => import('../custody/ask-consent.tsx'))
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

/** Where one writes, after one has agreed to the rules. */
export function Composer(props: Props) {
  if (!useIsAsked()) return <Writer {...props} />
  return (
    <Suspense>
      <AskConsent />
    </Suspense>
  )
}

/** A text that was not sent stays, also when the page is left. */
function Writer({ place, parent, quote, channelId, given, isBlocked = false, sent }: Props) {
  const act = useAct()
  const { fid = 0 } = useSession()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const [begun] = useState(
    () =>
      findDraft(fid, place) ?? { ...NO_DRAFT, text: given?.text ?? '', channel: channelId ?? '' },
  )
  const [text, setText] = useState(begun.text)
  const [channel, setChannel] = useState(begun.channel)
  const [poll, setPoll] = useState(begun.poll)
  const [cursor, setCursor] = useState(text.length)
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string>()
  const known = useRef(new Map<string, number>())
  const room = MAX_EMBEDS - (quote ? 1 : 0) - (poll ? 1 : 0)
  const attachments = useAttachments(room, () => findKey(fid), begun)
  const { files, isSensitive } = attachments
  const written = JSON.stringify({ text, channel, files, isSensitive, poll })
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

  const send = async (event: FormEvent) => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      const undescribed = await attachments.findUndescribed()
      if (undescribed.length > 0) {
        throw new Error(
          `Say what is to be seen on ${undescribed.join(', ')}: this server asks for it.`,
        )
      }
      // Other clients may know nothing of polls: they show at least the question.
      const trimmed = text.trim() || (poll?.question.trim() ?? '')
      let all = [...attachments.urls, ...urls]
      await learnNames(trimmed, known.current)
      const parentUrl = channel && !parent ? (await channelOf(channel)).url : undefined
      const parts = withoutMentions(trimmed, known.current)
      const cast = { ...parts, quote: refOf(quote), parent: refOf(parent), parentUrl }
      let hash: string | undefined
      const isSent = await act(
        async (key) => {
          try {
            await attachments.describeAll(key)
            if (poll) all = [await makePoll(key, poll), ...all]
            hash = await writeCast(key, { ...cast, urls: all })
          } catch (reason) {
            setError((reason as Error).message)
          }
        },
        { failed: '' },
      )
      if (isSent && hash) {
        forgetDraft(fid, place)
        sent(hash, { text: trimmed, urls: all })
      }
    } catch (reason) {
      setError((reason as Error).message)
    } finally {
      setSending(false)
    }
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
      onSubmit={send}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (attachments.add(event.dataTransfer.files)) event.preventDefault()
      }}
    >
      <label htmlFor={id} className="unseen">
        {parent ? `Your reply to ${handleOf(parent.author)}` : 'Your cast'}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={5}
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: the screen is for writing
        autoFocus
        value={text}
        placeholder={parent ? 'Write your reply' : 'What is new?'}
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
      {error && <Notice tone="bad">Nothing was sent. {error}</Notice>}
      <div className="composer-foot">
        <FileChooser
          text="Picture"
          isMultiple
          isDisabled={attachments.isFull}
          choose={attachments.add}
        />
        {!poll && (
          <button
            type="button"
            className="file-button"
            disabled={left === 0}
            onClick={() => setPoll(newPoll())}
          >
            Poll
          </button>
        )}
        {!parent && <ChannelChoice value={channel} choose={setChannel} />}
        <Count id={`${id}-count`} bytes={bytes} />
        <button
          type="submit"
          className="primary"
          disabled={
            isBlocked ||
            isSending ||
            isEmpty ||
            (poll && !isWholePoll(poll)) ||
            attachments.isPending ||
            bytes > MAX_LONG_CAST_BYTES
          }
        >
          {isSending ? 'Sending …' : parent ? 'Reply' : 'Cast'}
        </button>
      </div>
    </form>
  )
}

/** What is left, in bytes, because the network counts them: for most texts as many characters. */
function Count({ id, bytes }: { id: string; bytes: number }) {
  const isLong = bytes > MAX_CAST_BYTES
  const left = (isLong ? MAX_LONG_CAST_BYTES : MAX_CAST_BYTES) - bytes
  const text = left < 0 ? `${-left} too many` : isLong ? `Long cast, ${left} left` : `${left} left`
  return (
    <p id={id} className={left < 0 ? 'help bad' : 'help'} title="In bytes of UTF-8">
      {text}
    </p>
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
    <ul className="suggestions" aria-label="People to mention">
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
      <span className="unseen">Channel</span>
      <select value={value} onChange={({ target }) => choose(target.value)}>
        <option value="">No channel</option>
        {all.map((one) => (
          <option key={one} value={one}>
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
