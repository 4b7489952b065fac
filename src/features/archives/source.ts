import { fromBinary } from '@bufbuild/protobuf'
import type { Accounts } from '../../kernel/accounts/port.ts'
import type { Clock } from '../../kernel/base/clock.ts'
import { camelCase } from '../../kernel/http/input/query.ts'
import { toBase64, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { DEFAULT_JSON_OPTIONS, messageJson } from '../../kernel/protocol/json/json.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { unixMsOf } from '../../kernel/protocol/time.ts'
import {
  type CastAddBody,
  type MessageData,
  MessageDataSchema,
  ReactionType,
} from '../../kernel/protocol/wire/message_pb.js'
import { encodeStored, fromStored } from '../../kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import { hashAt, type Media, mediaRows } from '../media/port.ts'
import { exportRows, ownDecisions } from '../moderation/port.ts'

// What an archive is made of, read in batches: what an account wrote, the newest first, with what it answers.

/** Messages that are read at a time. */
const BATCH = 500
const FILE_BATCH = 500

/** What archives are read from. */
export type SourceTerms = {
  readonly storage: Storage
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'custodyOf'>
  readonly files: Media | undefined
  readonly faces: { readonly read: () => Promise<{ readonly name: string }> }
}

/** Somebody whom a post names. */
export type Person = {
  readonly fid: number
  readonly username?: string
  readonly displayName?: string
}
/** A post of somebody as far as this server has it. */
export type Quoted = { readonly hash: string; readonly author: Person; readonly text?: string }
export type Link = { readonly url: string; readonly file?: string } | { readonly post: Quoted }
export type Post = {
  readonly hash: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** With the names of those whom it mentions. */
  readonly text: string
  readonly mentions: readonly Person[]
  readonly replyTo?: Quoted
  /** Of the channel that it was written in, or of the page that it is about. */
  readonly channel?: string
  readonly links: readonly Link[]
  readonly hiddenByModerators?: true
}
export type Follow = Person & { readonly at: string; readonly custodyAddress?: string }
export type Like = {
  readonly kind: 'like' | 'repost'
  readonly at: string
  readonly post?: Quoted
  readonly url?: string
}
export type KeptRow = {
  readonly table: string
  readonly row: Readonly<Record<string, string | number | boolean | null>>
}
export type KeptFile = {
  readonly file: string
  readonly url: string
  readonly contentType: string
  readonly description: string
  readonly sensitive: boolean
  readonly uploadedAt: string
  /** Undefined where its bytes are lost. */
  readonly bytes: (() => AsyncGenerator<Uint8Array>) | undefined
}
export type Source = Awaited<ReturnType<typeof openSource>>

const PROFILE = ['username', 'displayName', 'bio', 'picture', 'website'] as const

/** Everything of an account, to be read as often as it is written. */
export async function openSource(terms: SourceTerms, fid: number) {
  const { storage, clock, accounts, files, faces } = terms
  const [[profile = {}], custody, face] = await Promise.all([
    readProfiles(storage.messages, [fid], PROFILE),
    accounts.custodyOf(fid),
    faces.read(),
  ])
  const own = { storage, fid, ownFiles: await ownFilesOf(storage, fid) }
  return {
    ...{ fid, profile },
    at: new Date(clock.now()),
    server: face.name,
    custodyAddress: custody && toHex(custody.address),
    fileOf: (url: string | undefined) => fileOf(own.ownFiles, url),
    posts: () => postsOf(own),
    follows: () => followsOf(own),
    likes: () => likesOf(own),
    others: () => othersOf(own),
    signed: () => signedOf(own),
    rows: () => rowsOf(own),
    decisions: () => decisionsOf(own),
    files: () => filesOf(files, fid),
  }
}

type Own = {
  readonly storage: SourceTerms['storage']
  readonly fid: number
  /** Hashes, in hex, of the files that the account has uploaded. */
  readonly ownFiles: ReadonlySet<string>
}

async function ownFilesOf({ of }: Pick<Reader, 'of'>, fid: number): Promise<Set<string>> {
  const hashes = new Set<string>()
  for (let after: Uint8Array | undefined; ; ) {
    const uploads = await of(mediaRows).uploadsOf(fid, after, FILE_BATCH)
    for (const { hash } of uploads) hashes.add(toHex(hash))
    after = uploads.at(-1)?.hash
    if (uploads.length < FILE_BATCH) return hashes
  }
}

/** Where in the archive the file at an address is. */
function fileOf(ownFiles: ReadonlySet<string>, url: string | undefined): string | undefined {
  const hash = url === undefined ? undefined : hashAt(url)
  if (!hash || !ownFiles.has(toHex(hash))) return undefined
  return `media/${url!.slice(url!.lastIndexOf('/') + 1).replace('-small', '')}`
}

/** The messages of a set, in batches. */
async function* messagesOf({ storage, fid }: Own, store: number) {
  for (let token: Uint8Array | undefined; ; ) {
    const page = { size: BATCH, token, reverse: true }
    const { items, next } = await storage.messages.listByFid({ fid, store }, page)
    if (items.length > 0) yield items
    if (!next) return
    token = next
  }
}

type Decoded<Case extends Body['case']> = {
  readonly message: StoredMessage
  readonly value: Extract<Body, { case: Case }>['value']
  readonly at: string
}
type Body = MessageData['body']

/** Those messages of a batch that have a body of this kind. */
const decoded = <Case extends Body['case']>(
  messages: readonly StoredMessage[],
  kind: Case,
): Decoded<Case>[] =>
  messages.flatMap((message) => {
    const { body } = fromBinary(MessageDataSchema, message.data)
    if (body.case !== kind) return []
    const at = new Date(unixMsOf(message.timestamp)).toISOString()
    return [{ message, at, value: body.value as Decoded<Case>['value'] }]
  })

async function* postsOf(own: Own): AsyncGenerator<Post> {
  for await (const messages of messagesOf(own, MESSAGE_SETS.casts)) {
    const casts = decoded(messages, 'castAddBody')
    const named = await readNamed(own, {
      fids: casts.flatMap(({ value }) => value.mentions.map(Number)),
      casts: casts.flatMap(({ value }) => castIdsOf(value)),
    })
    const hidden = await hiddenOf(
      own,
      casts.map(({ message }) => message.hash),
    )
    for (const { message, value, at } of casts) {
      const { parent, embeds, embedsDeprecated } = value
      const urls = embeds.flatMap(({ embed }) => (embed.case === 'url' ? [embed.value] : []))
      const quotes = embeds.flatMap(({ embed }) => (embed.case === 'castId' ? [embed.value] : []))
      const hash = toHex(message.hash)
      yield {
        ...{ hash, at, text: textOf(value, named) },
        mentions: value.mentions.map((fid) => named.person(Number(fid))),
        ...(parent.case === 'parentCastId' && { replyTo: named.cast(parent.value) }),
        ...(parent.case === 'parentUrl' && { channel: parent.value }),
        links: [
          ...[...urls, ...embedsDeprecated].map((url) => {
            const file = fileOf(own.ownFiles, url)
            return file ? { url, file } : { url }
          }),
          ...quotes.map((id) => ({ post: named.cast(id) })),
        ],
        ...(hidden.has(hash) && { hiddenByModerators: true as const }),
      }
    }
  }
}

type CastId = { readonly fid: bigint; readonly hash: Uint8Array }

const castIdsOf = ({ parent, embeds }: CastAddBody): CastId[] => [
  ...(parent.case === 'parentCastId' ? [parent.value] : []),
  ...embeds.flatMap(({ embed }) => (embed.case === 'castId' ? [embed.value] : [])),
]

/** Hashes of the account's own casts that moderators have hidden one by one. */
async function hiddenOf({ storage }: Own, hashes: readonly Uint8Array[]): Promise<Set<string>> {
  const hidden = await storage.moderation.hiddenCastsAmong(hashes)
  return new Set(hidden.map(({ hash }) => toHex(hash)))
}

type Named = Awaited<ReturnType<typeof readNamed>>

/** Names of people and texts of casts, as everybody may read them; own ones in any case. */
async function readNamed(
  { storage, fid: own }: Own,
  { fids, casts }: { readonly fids: readonly number[]; readonly casts: readonly CastId[] },
) {
  const isOwn = ({ fid }: CastId) => Number(fid) === own
  const hashesOf = (ids: readonly CastId[]) => ids.map(({ hash }) => hash)
  const found = (
    await Promise.all([
      storage.messages.castsByHashes(hashesOf(casts.filter(isOwn))),
      storage.published.messages.castsByHashes(hashesOf(casts.filter((id) => !isOwn(id)))),
    ])
  ).flat()
  const bodies = decoded(found, 'castAddBody')
  const all = [
    ...new Set([
      ...fids,
      ...casts.map(({ fid }) => Number(fid)),
      ...bodies.flatMap(({ value }) => value.mentions.map(Number)),
    ]),
  ]
  const people = await peopleOf(storage, all)
  const person = (fid: number): Person => people.get(fid) ?? { fid }
  const texts = new Map(
    bodies.map(({ message, value }) => [toHex(message.hash), textOf(value, { person })]),
  )
  const cast = ({ fid, hash }: CastId): Quoted => {
    const text = texts.get(toHex(hash))
    return { hash: toHex(hash), author: person(Number(fid)), ...(text !== undefined && { text }) }
  }
  return { person, cast }
}

async function peopleOf({ published }: Pick<Reader, 'published'>, fids: readonly number[]) {
  const profiles = await readProfiles(published.messages, fids, ['username', 'displayName'])
  return new Map<number, Person>(fids.map((fid, i) => [fid, { fid, ...profiles[i] }]))
}

export const handleOf = ({ fid, username }: Person): string => `@${username ?? `!${fid}`}`

/** The text of a cast with the names of those whom it mentions, which stand at byte offsets. */
function textOf(
  { text, mentions, mentionsPositions }: CastAddBody,
  { person }: Pick<Named, 'person'>,
) {
  const bytes = Buffer.from(text)
  let at = 0
  const parts = mentions.map((fid, i) => {
    const position = mentionsPositions[i] ?? bytes.length
    const before = bytes.subarray(at, position).toString()
    at = position
    return before + handleOf(person(Number(fid)))
  })
  return parts.join('') + bytes.subarray(at).toString()
}

async function* followsOf(own: Own): AsyncGenerator<Follow> {
  const told = new Set<number>()
  const unique = (fids: readonly bigint[]) =>
    fids.map(Number).filter((fid) => !told.has(fid) && told.add(fid))
  for await (const messages of messagesOf(own, MESSAGE_SETS.links)) {
    const links = decoded(messages, 'linkBody').filter(
      ({ message, value }) => value.type === 'follow' && message.target,
    )
    const follows = links.flatMap(({ at, value }) =>
      value.target.case === 'targetFid'
        ? unique([value.target.value]).map((fid) => ({ fid, at }))
        : [],
    )
    yield* await withKeys(own, follows)
  }
  for await (const messages of messagesOf(own, MESSAGE_SETS.linkCompactState)) {
    for (const { at, value } of decoded(messages, 'linkCompactStateBody')) {
      if (value.type !== 'follow') continue
      const fids = unique(value.targetFids)
      for (let i = 0; i < fids.length; i += BATCH) {
        yield* await withKeys(
          own,
          fids.slice(i, i + BATCH).map((fid) => ({ fid, at })),
        )
      }
    }
  }
}

/** With the addresses that own the accounts: they are the same people wherever these are. */
async function withKeys(
  { storage }: Own,
  follows: readonly { readonly fid: number; readonly at: string }[],
): Promise<Follow[]> {
  const fids = follows.map(({ fid }) => fid)
  const [people, custodies] = await Promise.all([
    peopleOf(storage, fids),
    storage.accounts.custodies(fids),
  ])
  const addresses = new Map(custodies.map(({ fid, address }) => [fid, toHex(address)]))
  return follows.map(({ fid, at }) => {
    const custodyAddress = addresses.get(fid)
    return { ...(people.get(fid) ?? { fid }), at, ...(custodyAddress && { custodyAddress }) }
  })
}

async function* likesOf(own: Own): AsyncGenerator<Like> {
  for await (const messages of messagesOf(own, MESSAGE_SETS.reactions)) {
    const reactions = decoded(messages, 'reactionBody').filter(({ message }) => message.target)
    const named = await readNamed(own, {
      fids: [],
      casts: reactions.flatMap(({ value: { target } }) =>
        target.case === 'targetCastId' ? [target.value] : [],
      ),
    })
    for (const { at, value } of reactions) {
      const { type, target } = value
      yield {
        kind: type === ReactionType.RECAST ? 'repost' : 'like',
        at,
        ...(target.case === 'targetCastId' && { post: named.cast(target.value) }),
        ...(target.case === 'targetUrl' && { url: target.value }),
      }
    }
  }
}

const SHOWN_SETS: readonly number[] = [
  MESSAGE_SETS.casts,
  MESSAGE_SETS.links,
  MESSAGE_SETS.reactions,
]
const ALL_SETS = Object.values(MESSAGE_SETS)

/** Messages that are no posts, follows or likes, such as profile entries and verified addresses, as the hub writes them. */
async function* othersOf(own: Own): AsyncGenerator<object> {
  for (const set of ALL_SETS.filter((one) => !SHOWN_SETS.includes(one))) {
    for await (const messages of messagesOf(own, set)) {
      for (const message of messages) yield messageJson(fromStored(message), DEFAULT_JSON_OPTIONS)
    }
  }
}

/** Every message as it was signed, in base64. */
async function* signedOf(own: Own): AsyncGenerator<string> {
  for (const set of ALL_SETS) {
    for await (const messages of messagesOf(own, set)) {
      for (const message of messages) yield toBase64(encodeStored(message))
    }
  }
}

/** What moderators decided about the account, as it may know of it. */
async function decisionsOf({ storage, fid }: Own): Promise<KeptRow[]> {
  return (await ownDecisions(storage, fid)).map(({ at, action, cast_hash, name, reason }) => ({
    table: 'decision',
    row: { at: isoOf(at * 1_000), action, post: cast_hash && toHex(cast_hash), name, reason },
  }))
}

/** What tables declare as the account's, with times that people can read. */
async function* rowsOf({ storage, fid }: Own): AsyncGenerator<KeptRow> {
  for (let token: Uint8Array | undefined; ; ) {
    const { rows, next } = await exportRows(storage, fid, token)
    for (const { table, row } of rows) {
      const { fields } = storage.schema!.tables.find(({ name }) => name === table)!
      const times = Object.entries(fields).flatMap(([column, { type }]) => {
        const value = row[camelCase(column)]
        const factor = TIME_FACTORS[type]
        return factor && typeof value === 'number' && value > 0
          ? [[camelCase(column), isoOf(value * factor)] as const]
          : []
      })
      yield { table, row: { ...row, ...Object.fromEntries(times) } }
    }
    if (!next) return
    token = next
  }
}

/** Milliseconds of one unit of a column of times. */
const TIME_FACTORS: Readonly<Record<string, number>> = { seconds: 1_000, millis: 1 }
const MAX_DATE_MS = 8.64e15

/** Times without an end are beyond what a date can be. */
const isoOf = (ms: number): string | number => (ms <= MAX_DATE_MS ? new Date(ms).toISOString() : ms)

async function* filesOf(media: SourceTerms['files'], fid: number): AsyncGenerator<KeptFile> {
  for (let after: Uint8Array | undefined; media; ) {
    const found = await media.exportFile(fid, after)
    if (!found) return
    yield {
      file: `media/${found.url.slice(found.url.lastIndexOf('/') + 1)}`,
      url: found.url,
      contentType: found.type,
      description: found.alt,
      sensitive: found.sensitive,
      uploadedAt: new Date(found.uploadedAt * 1_000).toISOString(),
      bytes: found.data,
    }
    if (!found.next) return
    after = found.next
  }
}
