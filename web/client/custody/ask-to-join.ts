import { hexOf, utf8Of } from '../../shared/bytes.ts'
import { fetchJson } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import type { NewCopy } from './seal.ts'
import { ownerRequest } from './server.ts'

// Asking to join where moderators let each person in. This browser keeps the sealed key and what was asked for until then.

const PATH = '/accounts/v1/join-requests'
const KEPT = 'rookery.asked-to-join'
/** Who asks has no account yet. */
const NO_FID = 0

/** What is kept while one waits. */
export type Waiting = {
  readonly ticket: string
  /** Of the key that is to hold the account. */
  readonly address: string
  readonly copy: NewCopy
  readonly name: string
  readonly display: string
  readonly recovery?: string | undefined
}

export type JoinState = {
  readonly state: 'waiting' | 'approved' | 'declined'
  /** Who may join now. */
  readonly signup: string
  readonly answer: string
  /** Unix seconds. */
  readonly askedAt: number
  readonly decidedAt: number | null
}

/** Asks with the key that would own the account. Answers the ticket. */
export async function askToJoin(
  connection: Connection,
  { called, reason }: { readonly called: string; readonly reason: string },
): Promise<string> {
  const text = new Uint8Array(utf8Of(JSON.stringify([called, reason])))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  const action = `ask to join ${hexOf(digest)}`
  const { deadline, signature } = await ownerRequest(connection, NO_FID, action)
  const body = { address: connection.address, called, reason, deadline, signature }
  return (await fetchJson<{ ticket: string }>(PATH, { method: 'POST', body })).ticket
}

/** What has become of the request; null when it is gone. */
export async function stateOf(ticket: string): Promise<JoinState | null> {
  return fetchJson<JoinState>(`${PATH}/${ticket}`).catch((error) => {
    if (error.status === 404) return null
    throw error
  })
}

export const takeBack = (ticket: string): Promise<unknown> =>
  fetchJson(`${PATH}/${ticket}`, { method: 'DELETE' })

export function keptWaiting(): Waiting | undefined {
  try {
    const text = localStorage.getItem(KEPT)
    return text === null ? undefined : (JSON.parse(text) as Waiting)
  } catch {
    return undefined
  }
}

/** Undefined: forgets it. */
export function keepWaiting(waiting: Waiting | undefined): void {
  try {
    if (waiting) localStorage.setItem(KEPT, JSON.stringify(waiting))
    else localStorage.removeItem(KEPT)
  } catch {}
}
