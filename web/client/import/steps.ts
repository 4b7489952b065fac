import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { Refusal, Unreachable } from '../../shared/request.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { setBookmarked } from '../bookmarks/calls.ts'
import { listChange, newList, type OwnLists, tagChange } from '../lists/calls.ts'
import { setMuted, tokenOf } from '../moderation/calls.ts'
import type { Archive, KeptRow } from './read-archive.ts'

// What is brought, step by step. Each step done once more changes nothing, so whoever stops goes on where they were.

/** What a step did not bring: what it was, and what the server said. */
export type Fault = { readonly what: string; readonly said: string }
export type Step = { readonly size: number; run(key: BrowserKey): Promise<Fault[]> }
export type Plan = {
  readonly steps: readonly Step[]
  /** What is brought: how many of what. */
  readonly brought: readonly (readonly [count: number, what: string])[]
  readonly isOwn: boolean
}

/** As many as one request may carry, by number and by bytes. */
const MESSAGES_AT_ONCE = 100
const MAX_BATCH_CHARACTERS = 500_000
const TIMEOUT_MS = 60_000
/** A wait that the server asks for is kept; one that is longer ends the import, which goes on later. */
const MAX_WAIT_SECONDS = 120
const BUSY = 429

/** What of an archive the account may bring: with the same fid its messages and what names people by their fids, too. */
export function planOf({ account, kept, signed }: Archive, fid: number): Plan {
  const isOwn = account.fid === fid
  const rows = (table: string) => kept.filter((one) => one.table === table).map(({ row }) => row)
  const words = rows('muted_term')
  const tags = rows('followed_tag')
  const lists = rows('people_list')
  const marks = rows('bookmark')
  const mutes = isOwn ? rows('app_mute').filter(({ app }) => app === '*') : []
  const members = isOwn ? rows('people_list_member') : []
  const batches = isOwn ? batchesOf(signed) : []
  const steps = [
    ...batches.map(messagesStep),
    ...words.map(({ kind, term }) =>
      step(`mute ${term}`, (key) =>
        setMuted(key, kind === 'channel' ? { channel_id: `${term}` } : { word: `${term}` }, true),
      ),
    ),
    ...mutes.map(({ mutedFid }) =>
      step(`mute account ${mutedFid}`, (key) => setMuted(key, { fid: Number(mutedFid) }, true)),
    ),
    ...tags.map(({ tag }) => step(`#${tag}`, (key) => change(key, tagChange(`${tag}`, true)))),
    ...lists.map((list) => step(`list ${list.name}`, (key) => bringList(key, list, members))),
    ...marks.map(({ castHash }) =>
      step(`bookmark ${`${castHash}`.slice(0, 10)}…`, (key) =>
        setBookmarked(key, `${castHash}`, true),
      ),
    ),
  ]
  const brought = [
    [isOwn ? signed.length : 0, 'signed messages: posts, follows, likes and profile'],
    [words.length + mutes.length, 'mutes'],
    [tags.length, 'followed tags'],
    [lists.length, isOwn ? 'lists of people' : 'names of lists'],
    [marks.length, 'bookmarks'],
  ] as const
  return { steps, isOwn, brought: brought.filter(([count]) => count > 0) }
}

function batchesOf(signed: readonly string[]): string[][] {
  const batches: string[][] = [[]]
  let characters = 0
  for (const line of signed) {
    const isFull = batches.at(-1)!.length >= MESSAGES_AT_ONCE
    if (isFull || characters + line.length > MAX_BATCH_CHARACTERS) {
      batches.push([])
      characters = 0
    }
    batches.at(-1)!.push(line)
    characters += line.length
  }
  return batches.filter((batch) => batch.length > 0)
}

/** One bad item is told and stops nobody. Without the server, or while it asks to wait, nothing is skipped. */
const step = (what: string, work: (key: BrowserKey) => Promise<unknown>): Step => ({
  size: 1,
  run: async (key) => {
    for (let waits = 0; ; waits++) {
      try {
        await work(key)
        return []
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500) throw error
        if (error.status !== BUSY) return [{ what, said: error.message }]
        if (waits >= MAX_WAIT_SECONDS / PAUSE_SECONDS) throw error
        await wait(PAUSE_SECONDS)
      }
    }
  },
})
const PAUSE_SECONDS = 5

const change = async (key: BrowserKey, { path, method, body }: ReturnType<typeof tagChange>) =>
  callApp(path, { method, body, token: await tokenOf(key) })

/** Adds people to the list of this name, which is made unless there is one. */
async function bringList(
  key: BrowserKey,
  list: KeptRow['row'],
  members: readonly KeptRow['row'][],
) {
  const name = `${list.name}`
  const own = await callApp<OwnLists>('/list/own', { token: await tokenOf(key) })
  if (!own.lists.some((one) => one.name === name)) await change(key, newList(name))
  const { lists } = await callApp<OwnLists>('/list/own', { token: await tokenOf(key) })
  const id = lists.find((one) => one.name === name)?.id
  for (const { listId, memberFid } of id ? members : []) {
    if (listId === list.id) await change(key, listChange(id!, Number(memberFid), true))
  }
}

const messagesStep = (lines: readonly string[]): Step => ({
  size: lines.length,
  run: async () => {
    const body = new BinaryWriter()
    for (const line of lines) body.tag(1, 2).bytes(bytesOfBase64(line))
    const answer = await submit(body.finish())
    return answer.messages.flatMap(({ hash, errCode, message }) =>
      errCode === undefined || errCode === 'bad_request.duplicate'
        ? []
        : [{ what: `message ${hash.slice(0, 10)}…`, said: message ?? errCode }],
    )
  },
})

const bytesOfBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

type Outcome = { readonly hash: string; readonly errCode?: string; readonly message?: string }

async function submit(body: Uint8Array): Promise<{ messages: readonly Outcome[] }> {
  for (;;) {
    const response = await fetch('/hub/v1/submitBulkMessages', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause) => {
      throw new Unreachable(cause)
    })
    if (response.ok) return response.json()
    const seconds = Number(response.headers.get('retry-after'))
    if (response.status !== BUSY || !(seconds > 0 && seconds <= MAX_WAIT_SECONDS)) {
      const { details } = await response.json().catch(() => ({}))
      throw new Refusal(response.status, details ?? `The server answered ${response.status}`)
    }
    await wait(seconds)
  }
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
