import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Original } from '../parts/original.tsx'
import { Composer } from './composer.tsx'
import { tell } from './notices.tsx'
import { useWriting, type Writing } from './writing.ts'

/** The dialog over the thread or the list, while it is open. */
export function ComposeDialog() {
  const writing = useWriting()
  if (!writing) return null
  const place = placeOf(writing)
  return <Dialog key={place} writing={writing} place={place} />
}

const placeOf = ({ reply, quote, channel }: Writing): string => {
  if (reply) return `reply ${reply.hash}`
  if (quote) return `quote ${quote.hash}`
  return channel ? `channel ${channel}` : 'new'
}

function Dialog({
  writing: { reply, quote, channel },
  place,
}: {
  writing: Writing
  place: string
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const heading = reply ? t('Reply') : quote ? t('Quote') : t('New {post}')
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
    // One writes at once: a dialog gives the focus to its first button.
    dialog.current?.querySelector('textarea')?.focus()
  }, [])
  const close = () => navigate(-1)
  const sent = async (hash: string) => {
    close()
    tell(reply ? t('Your reply was sent.') : t('Your {post} was sent.'), {
      to: `/cast/${hash}`,
      text: t('Show it'),
    })
    if (reply) {
      queries.setQueriesData({ predicate: isOfAppApi }, (data) => withReply(data, reply.hash))
    }
    // The thread shows it; lists stay as they are read.
    await queries.invalidateQueries({ queryKey: ['/screen/cast'] })
  }
  return (
    <dialog
      ref={dialog}
      className="dialog writing"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{heading}</h2>
        <button type="button" className="icon-button" aria-label={t('Close')} onClick={close}>
          <Icon name="cross" />
        </button>
      </div>
      {reply && <Original cast={reply} />}
      <Composer place={place} parent={reply} quote={quote} channelId={channel} sent={sent} />
      {quote && <Original cast={quote} />}
    </dialog>
  )
}

/** Its answers are JSON, and kept by their paths; other entries hold keys. */
const isOfAppApi = ({ queryKey: [path] }: Pick<Query, 'queryKey'>) => String(path).startsWith('/')

/** What was read, with one more reply to a cast, wherever it stands in it. */
function withReply<T>(data: T, hash: string): T {
  if (Array.isArray(data)) return data.map((one) => withReply(one, hash)) as T
  if (typeof data !== 'object' || data === null) return data
  const all = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, withReply(value, hash)]),
  )
  const { replies } = all
  const isIt = all.hash === hash && typeof replies?.count === 'number'
  return (isIt ? { ...all, replies: { ...replies, count: replies.count + 1 } } : all) as T
}
