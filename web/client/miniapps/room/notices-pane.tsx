import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Notice } from '../../../shared/page.tsx'
import { fetchJson } from '../../../shared/request.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { getApp } from '../calls.ts'

type Sent = {
  readonly successfulTokens: readonly string[]
  readonly invalidTokens: readonly string[]
  readonly rateLimitedTokens: readonly string[]
  readonly failedTokens: readonly { readonly reason: string }[]
}

const outcomeOf = (sent: Sent): string =>
  sent.successfulTokens.length > 0
    ? 'Sent, or sent before with the same id within 24 hours.'
    : sent.rateLimitedTokens.length > 0
      ? 'Too soon: one notification in 30 seconds.'
      : sent.invalidTokens.length > 0
        ? 'The token is not valid any more.'
        : `Not sent: ${sent.failedTokens[0]?.reason}.`

/** Sends a notification as the server of the app would, to the account that acts. */
export function NotificationsPane({
  browserKey,
  domain,
}: {
  browserKey: BrowserKey
  domain: string
}) {
  const id = useId()
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>()
  const queries = useQueryClient()
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    try {
      const app = await getApp(domain, browserKey)
      if (!app.notificationDetails) throw new Error('The account has not allowed notifications.')
      const { token } = app.notificationDetails
      const body = { ...fields, targetUrl: app.homeUrl, tokens: [token] }
      const path = '/platform/v1/frame-notifications'
      const { result } = await fetchJson<{ result: Sent }>(path, { method: 'POST', body })
      setSaid({ text: outcomeOf(result), isBad: result.successfulTokens.length === 0 })
      await queries.invalidateQueries({ queryKey: ['mini app notices'] })
    } catch (error) {
      setSaid({ text: (error as Error).message, isBad: true })
    }
  }
  return (
    <details className="room-pane">
      <summary>Notifications</summary>
      <form className="room-fields" onSubmit={send}>
        <label htmlFor={`${id}-id`}>Id</label>
        <input id={`${id}-id`} name="notificationId" defaultValue="test-1" required />
        <label htmlFor={`${id}-title`}>Title</label>
        <input
          id={`${id}-title`}
          name="title"
          defaultValue="Good morning"
          maxLength={32}
          required
        />
        <label htmlFor={`${id}-body`}>Text</label>
        <input id={`${id}-body`} name="body" defaultValue="The birds are up." maxLength={128} />
        <button type="submit" className="secondary">
          Send
        </button>
      </form>
      {said && <Notice tone={said.isBad ? 'bad' : 'good'}>{said.text}</Notice>}
    </details>
  )
}
