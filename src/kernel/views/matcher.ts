import { toBase64, toHex } from '../protocol/codec/bytes.ts'
import { eventTime } from '../protocol/event-id.ts'
import type { ViewSource } from '../protocol/kinds/kind.ts'
import { kindOf } from '../protocol/kinds/kinds.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { unixMsOf } from '../protocol/time.ts'
import type { CastAddBody, Embed } from '../protocol/wire/message_pb.js'
import type { SentMessage } from '../storage/messages/envelopes.ts'
import { fromStored } from '../storage/messages/message-rows.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewDelivery } from '../storage/views/views.ts'
import { FOLLOW } from './contribution.ts'
import { castKey } from './message-fields.ts'
import type { Scores } from './scores.ts'
import type { WebhookEventType } from './webhooks/filter-schema.ts'
import { type CastFacts, type CompiledFilters, compileFilters } from './webhooks/filters.ts'
import type { Subject } from './webhooks/subject.ts'

// Matching of webhooks, inside the transaction that applies events to the views: an event is matched exactly
// once, and what has to be delivered is stored together with the position behind it.

/** What one event did, in the order of the log. */
export type MatchedEvent = {
  /** Id of the event; `eventTime` is its time. */
  readonly id: number
  /** The message that was stored, or is shown for the first time. */
  readonly added: SentMessage | undefined
  /** The messages that left the store: replaced, removed, pruned, revoked, or ended by a compact state. */
  readonly removed: readonly SentMessage[]
  /** Fids that were registered for the first time. */
  readonly registered: readonly number[]
  /** Fids whose profile, names, verifications or custody changed. */
  readonly updated: readonly number[]
}

/** The deliveries that a batch of events causes. Called once for each event, in the order of the log. */
export type Matcher = (events: readonly MatchedEvent[]) => Promise<readonly ViewDelivery[]>

/** The webhooks that are to be told. */
export type Listeners = {
  /** A page of those that are active, by id. */
  active(
    after: string,
    limit: number,
  ): Promise<
    readonly {
      readonly id: string
      /** Unix seconds. */
      readonly created_at: number
      /** JSON: see filter-schema.ts. */
      readonly filters: string
    }[]
  >
  /** Another one after every change of them. */
  version(): Promise<string>
}

/** A webhook. It receives events after its creation. */
type Listener = {
  readonly id: string
  readonly createdAtMs: number
  readonly filters: CompiledFilters
}

/** One thing that happened. */
type Happened = { readonly type: WebhookEventType; readonly subject: Subject; matches: Matches }
type Matches = (filters: CompiledFilters) => boolean

/** Facts about casts of a batch that are read from the store. */
type Lookups = { readonly roots: Roots; readonly scoreOf: Scores }

const LISTENERS_PER_PAGE = 500

/**
 * Makes the matcher of the views' thread. `storage` reads the present state of the store; `scores` are read
 * once for each batch, and only while a webhook asks for them. In a mirror messages that were old when they arrived are not
 * told: reading a person would send all that they ever wrote.
 */
export function createMatcher(
  storage: Storage,
  listening: Listeners,
  scores: () => Promise<Scores>,
  { isMirror = false }: { readonly isMirror?: boolean } = {},
): Matcher {
  let version: string | undefined
  let listeners: Listener[] = []

  const refresh = async () => {
    const newest = await listening.version()
    if (newest === version) return
    listeners = await readListeners(listening)
    version = newest
  }

  return async (events) => {
    if (events.length === 0) return []
    await refresh()
    if (listeners.length === 0) return []
    const needsScores = listeners.some(({ filters }) => filters.needsScores)
    const lookups: Lookups = {
      roots: new Roots(storage),
      scoreOf: needsScores ? await scores() : undefined,
    }
    const deliveries: ViewDelivery[] = []
    for (const event of events) {
      if (isMirror && isOld(event)) continue
      const happened = await happenedIn(event, lookups)
      for (const listener of listeners) {
        if (eventTime(event.id) < listener.createdAtMs) continue
        const matching = happened.filter(({ matches }) => matches(listener.filters))
        for (const [n, { type, subject }] of matching.entries()) {
          deliveries.push({
            ...{ webhook: listener.id, event: event.id, n, type },
            ...{ subject: JSON.stringify(subject), attempts: 0, due: 0 },
          })
        }
      }
    }
    return deliveries
  }
}

/** Whether a message was older than this when it arrived. */
const OLD_MS = 3_600_000

const isOld = ({ id, added }: MatchedEvent): boolean =>
  added !== undefined && unixMsOf(added.timestamp) < eventTime(id) - OLD_MS

async function readListeners(listening: Listeners): Promise<Listener[]> {
  const listeners: Listener[] = []
  for (let after = ''; ; ) {
    const page = await listening.active(after, LISTENERS_PER_PAGE)
    for (const { id, created_at, filters } of page) {
      const createdAtMs = created_at * 1_000
      listeners.push({ id, createdAtMs, filters: compileFilters(JSON.parse(filters)) })
    }
    const last = page.at(-1)
    if (!last || page.length < LISTENERS_PER_PAGE) return listeners
    after = last.id
  }
}

async function happenedIn(event: MatchedEvent, lookups: Lookups): Promise<Happened[]> {
  const { added, removed, registered, updated } = event
  const happened: Happened[] = []
  // A message that a newer one of the same type replaced is not reported as deleted.
  for (const message of removed) {
    if (added?.type === message.type) continue
    const one = await messageHappened(message, 'deleted', lookups)
    if (one) happened.push(one)
  }
  const created = added && (await messageHappened(added, 'created', lookups))
  if (created) happened.push(created)
  for (const fid of registered) happened.push(userHappened(fid, 'user.created'))
  for (const fid of updated) {
    if (!registered.includes(fid)) happened.push(userHappened(fid, 'user.updated'))
  }
  return happened
}

function userHappened(fid: number, type: 'user.created' | 'user.updated'): Happened {
  return { type, subject: { kind: 'user', fid }, matches: ({ pair }) => pair(type, { fid }) }
}

type What = 'created' | 'deleted'
type Report = (
  message: SignedMessage,
  what: What,
  lookups: Lookups,
) => Promise<Happened | undefined>

/** What a message of each view source reports to webhooks; undefined: nothing. */
const REPORTS: Readonly<Record<ViewSource, Report | undefined>> = {
  cast: castHappened,
  link: async (message, what) => followHappened(message, what),
  reaction: async (message, what) => reactionHappened(message, what),
  compactState: undefined,
  // Reported as the update of its author.
  profile: undefined,
}

async function messageHappened(row: SentMessage, what: What, lookups: Lookups) {
  const source = kindOf(row.type)?.views
  return source && REPORTS[source]?.(fromStored(row), what, lookups)
}

function followHappened({ fid, data }: SignedMessage, what: What): Happened | undefined {
  const { timestamp, body } = data
  if (body.case !== 'linkBody' || body.value.type !== FOLLOW) return undefined
  if (body.value.target.case !== 'targetFid') return undefined
  const targetFid = Number(body.value.target.value)
  const type = `follow.${what}` as const
  const subject = { kind: 'follow', fid, targetFid, timestamp } as const
  return { type, subject, matches: ({ pair }) => pair(type, { fid, targetFid }) }
}

function reactionHappened({ fid, data }: SignedMessage, what: What): Happened | undefined {
  const { timestamp, body } = data
  if (body.case !== 'reactionBody' || body.value.target.case !== 'targetCastId') return undefined
  const { fid: target, hash: targetHash } = body.value.target.value
  const targetFid = Number(target)
  const type = `reaction.${what}` as const
  const subject: Subject = {
    kind: 'reaction',
    ...{ fid, type: body.value.type, targetFid, targetHash: toHex(targetHash), timestamp },
  }
  return { type, subject, matches: ({ pair }) => pair(type, { fid, targetFid, targetHash }) }
}

async function castHappened(
  message: SignedMessage,
  what: What,
  { roots, scoreOf }: Lookups,
): Promise<Happened | undefined> {
  const { fid, hash, signer, data, dataBytes } = message
  if (data.body.case !== 'castAddBody') return undefined
  const facts: CastFacts = {
    ...factsOf(message, data.body.value),
    rootParentUrl: await roots.urlOf(message, data.body.value),
    score: scoreOf?.(fid),
  }
  const type = `cast.${what}` as const
  const subject: Subject = {
    kind: 'cast',
    ...{ fid, hash: toHex(hash), timestamp: data.timestamp },
    ...{ signer: toHex(signer), data: toBase64(dataBytes) },
  }
  return { type, subject, matches: ({ cast }) => cast(type, facts) }
}

function factsOf({ fid }: SignedMessage, body: CastAddBody): CastFacts {
  const { text, mentions, parent, embeds, embedsDeprecated } = body
  return {
    fid,
    text,
    mentions: mentions.map(Number),
    parent: parentOf(parent),
    embeds: [...embedsDeprecated.map((url) => ({ url })), ...embeds.flatMap(embedOf)],
  }
}

function parentOf(parent: CastAddBody['parent']) {
  if (parent.case === 'parentUrl') return { url: parent.value }
  if (parent.case !== 'parentCastId') return undefined
  return { fid: Number(parent.value.fid), hash: parent.value.hash }
}

function embedOf({ embed }: Embed): CastFacts['embeds'] {
  if (embed.case === 'url') return [{ url: embed.value }]
  if (embed.case !== 'castId') return []
  return [{ fid: Number(embed.value.fid), hash: embed.value.hash }]
}

/** Finds the parent url of a thread's root: of the casts of this batch, which cannot be read yet, and before. */
class Roots {
  readonly #storage: Storage
  readonly #known = new Map<string, string | undefined>()

  constructor(storage: Storage) {
    this.#storage = storage
  }

  async urlOf({ fid, hash }: SignedMessage, { parent }: CastAddBody): Promise<string | undefined> {
    const url = await this.#urlOfParent(parent)
    this.#known.set(toHex(castKey(fid, hash)), url)
    return url
  }

  async #urlOfParent(parent: CastAddBody['parent']): Promise<string | undefined> {
    if (parent.case === 'parentUrl') return parent.value
    if (parent.case !== 'parentCastId') return undefined
    const key = castKey(Number(parent.value.fid), parent.value.hash)
    const name = toHex(key)
    if (this.#known.has(name)) return this.#known.get(name)
    const [post] = await this.#storage.views.postsByKeys([key])
    if (!post || post.place === null) return undefined
    const [place] = await this.#storage.views.placesByIds([post.place])
    return place?.url
  }
}
