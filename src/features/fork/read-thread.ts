import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { fromStored } from '../../kernel/storage/messages/message-rows.ts'
import { fidOfMessage, hashOfMessage } from '../mirror/port.ts'
import { messageBytes } from './json.ts'
import type { ForkContext } from './read-account.ts'
import type { CastSubject } from './subjects.ts'

// Casts by their ids: the ones above a cast, and the replies to it.

/** Casts above a cast. */
const MAX_ABOVE = 50
/** Replies of one thread, those to replies included. */
const MAX_REPLIES = 1_000
const REPLIES_PAGE = 500
/** Casts whose replies are asked for at a time. */
const AT_ONCE = 50

export type CastId = { readonly fid: number; readonly hash: string }

/** Reads the accounts of these authors, as far as messages need them. */
export type ReadAuthors = (fids: Iterable<number>) => Promise<void>

/** Reads a cast, those above it and, if asked, the replies to it. */
export async function readThread(
  context: ForkContext,
  { fid, hash, hasReplies }: CastSubject,
  readAuthors: ReadAuthors,
): Promise<void> {
  const kept = await keptCast(context, hash)
  const author = kept?.fid ?? fid ?? context.source.authorOf(hash)
  if (author === undefined) return
  await readAbove(context, { fid: author, hash }, readAuthors)
  if (hasReplies) await readReplies(context, { fid: author, hash }, readAuthors)
}

const keptCast = ({ storage }: ForkContext, hash: string) =>
  storage.messages.castByHash(fromHex(hash)!)

async function readAbove(
  context: ForkContext,
  first: CastId,
  readAuthors: ReadAuthors,
): Promise<void> {
  let id: CastId | undefined = first
  for (let n = 0; id !== undefined && n <= MAX_ABOVE; n++) {
    if (!(await keptCast(context, id.hash))) {
      const answer = await context.source.get('cast', { fid: id.fid, hash: id.hash })
      const message = answer && messageBytes(answer)
      if (!message) return
      await readAuthors([id.fid])
      await context.merges.run([message])
    }
    id = await parentOf(context, id.hash)
  }
}

async function parentOf(context: ForkContext, hash: string): Promise<CastId | undefined> {
  const row = await keptCast(context, hash)
  const body = row && fromStored(row).data.body
  if (body?.case !== 'castAddBody' || body.value.parent.case !== 'parentCastId') return undefined
  const { fid, hash: parent } = body.value.parent.value
  return { fid: Number(fid), hash: toHex(parent) }
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
    await readAuthors(new Set(replies.map(fidOfMessage)))
    await context.merges.run(replies)
    level = replies.map((message) => ({
      fid: fidOfMessage(message),
      hash: toHex(hashOfMessage(message)),
    }))
  }
}

async function repliesTo({ source }: ForkContext, { fid, hash }: CastId): Promise<Uint8Array[]> {
  const pages = Math.ceil(MAX_REPLIES / REPLIES_PAGE)
  const { items } = await source.list('replies', { fid, hash }, { pageSize: REPLIES_PAGE, pages })
  return items.flatMap((json) => messageBytes(json) ?? [])
}
