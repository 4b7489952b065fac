import { FORKED_FID } from '../../kernel/accounts/fid-floor.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { castsByParentKey } from '../../kernel/protocol/kinds/cast-add.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import { castTargetKey } from '../../kernel/protocol/slots.ts'
import { fromStored } from '../../kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import { fidOfMessage, hashOfMessage } from '../mirror/port.ts'
import { decoded, messageBytes } from './json.ts'
import { type ForkContext, removeMessages } from './read-account.ts'
import type { CastSubject } from './subjects.ts'

// Casts by their ids: the ones above a cast, and the replies to it. What is kept of them and is no more at the source is removed:
// their authors are not compared for that, as a rule no more is kept of these than a cast shows.

/** Casts above a cast. */
const MAX_ABOVE = 50
/** Replies of one thread, those to replies included. */
const MAX_REPLIES = 1_000
const REPLIES_PAGE = 500
/** Casts whose replies are asked for at a time. */
const AT_ONCE = 50

export type CastId = { readonly fid: number; readonly hash: string }

/** Reads the accounts of these authors, as far as their casts need them. Each promise resolves when one was read. */
export type ReadAuthors = (fids: Iterable<number>) => Promise<ReadonlyMap<number, Promise<void>>>

export type ThreadTerms = {
  readonly readAuthors: ReadAuthors
  /** Whether it was read before: casts that are kept are asked for, too. */
  readonly isAgain: boolean
}

/** Reads a cast, those above it and, if asked, the replies to it. */
export async function readThread(
  context: ForkContext,
  { fid, hash, hasReplies }: CastSubject,
  { readAuthors, isAgain }: ThreadTerms,
): Promise<void> {
  const kept = await keptCast(context, hash)
  const author = kept?.fid ?? fid ?? context.source.authorOf(hash)
  if (author === undefined) return
  const id = { fid: author, hash }
  await Promise.all([
    readAbove(context, id, { readAuthors, isAgain }),
    hasReplies && readReplies(context, id, readAuthors),
  ])
}

const keptCast = ({ storage }: ForkContext, hash: string) =>
  storage.messages.castByHash(fromHex(hash)!)

/** One after the other up to the first one, and then their authors together. */
async function readAbove(
  context: ForkContext,
  first: CastId,
  { readAuthors, isAgain }: ThreadTerms,
): Promise<void> {
  const found: Uint8Array[] = []
  const gone: StoredMessage[] = []
  const mark = await context.storage.events.newestId()
  let id: CastId | undefined = first
  for (let n = 0; id !== undefined && n <= MAX_ABOVE; n++) {
    const row = await keptCast(context, id.hash)
    const isAsked = !row || (isAgain && !isLocal(context, row))
    const answer = isAsked ? await context.source.get('cast', { ...id }) : undefined
    const message = answer && messageBytes(answer)
    if (message && !row) found.push(message)
    if (row && isAsked && !answer) gone.push(row)
    id = parentOf(row ? fromStored(row) : message && decoded(message))
  }
  await removeMessages(context, gone, mark)
  await mergeByAuthor(context, found, readAuthors)
}

/** It was written here. */
const isLocal = ({ isLocalKey }: ForkContext, { fid, signer }: StoredMessage): boolean =>
  fid > FORKED_FID || isLocalKey(fid, signer)

function parentOf(cast: Pick<SignedMessage, 'data'> | undefined): CastId | undefined {
  const body = cast?.data.body
  if (body?.case !== 'castAddBody' || body.value.parent.case !== 'parentCastId') return undefined
  const { fid, hash } = body.value.parent.value
  return { fid: Number(fid), hash: toHex(hash) }
}

/** Merges the messages of each author once the author was read: those of one who is slow hold back no others. */
export async function mergeByAuthor(
  { merges }: Pick<ForkContext, 'merges'>,
  messages: readonly Uint8Array[],
  readAuthors: ReadAuthors,
): Promise<void> {
  const byAuthor = Map.groupBy(messages, fidOfMessage)
  const reads = await readAuthors(byAuthor.keys())
  const merged = [...byAuthor].map(async ([fid, own]) => {
    await reads.get(fid)
    await merges.run(own)
  })
  await Promise.all(merged)
}

/** Level by level: the replies to a cast, and then the replies to these. */
async function readReplies(
  context: ForkContext,
  root: CastId,
  readAuthors: ReadAuthors,
): Promise<void> {
  const seen = new Set([root.hash])
  let level: CastId[] = [root]
  while (level.length > 0 && seen.size <= MAX_REPLIES) {
    const replies: Uint8Array[] = []
    for (let at = 0; at < level.length && seen.size <= MAX_REPLIES; at += AT_ONCE) {
      const lists = await Promise.all(
        level.slice(at, at + AT_ONCE).map((id) => repliesTo(context, id)),
      )
      for (const message of lists.flat()) {
        const hash = toHex(hashOfMessage(message))
        if (seen.has(hash) || seen.size > MAX_REPLIES) continue
        seen.add(hash)
        replies.push(message)
      }
    }
    await mergeByAuthor(context, replies, readAuthors)
    level = replies.map((message) => ({
      fid: fidOfMessage(message),
      hash: toHex(hashOfMessage(message)),
    }))
  }
}

/** What the source lists; what is kept beyond that goes, unless there is more than the source has listed. */
async function repliesTo(context: ForkContext, { fid, hash }: CastId): Promise<Uint8Array[]> {
  const { source, storage } = context
  const mark = await storage.events.newestId()
  const pages = Math.ceil(MAX_REPLIES / REPLIES_PAGE)
  const asked = { pageSize: REPLIES_PAGE, pages }
  const { items, isCut } = await source.list('replies', { fid, hash }, asked)
  const messages = items.flatMap((json) => messageBytes(json) ?? [])
  if (!isCut) {
    const target = castsByParentKey(castTargetKey(fid, fromHex(hash)!))
    const kept = await storage.messages.listByTargets([target], { size: MAX_REPLIES })
    const listed = new Set(messages.map((message) => toHex(hashOfMessage(message))))
    const gone = kept.items.filter((row) => !isLocal(context, row) && !listed.has(toHex(row.hash)))
    await removeMessages(context, gone, mark)
  }
  return messages
}
