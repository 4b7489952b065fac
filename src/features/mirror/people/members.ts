import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { decodeMessage } from '../../../kernel/protocol/codec/decode.ts'
import { DAY_SECONDS, networkTime } from '../../../kernel/protocol/time.ts'
import { MessageType } from '../../../kernel/protocol/wire/message_pb.js'
import type { MirrorContext } from '../context.ts'
import { HashSet } from '../hash-set.ts'
import { parseName, USUAL_CAP } from '../rules.ts'
import { fidOfMessage, hashOfMessage } from '../source/events.ts'
import type { MirrorRule } from '../tables/mirror.ts'

// Whom a rule names, by asking the source.

const FOLLOW = 'follow'
/** Members of a channel are those who posted in it: hubs have no lists of members. */
const MEMBER_SECONDS = 90 * DAY_SECONDS
/** Lists of all shards may miss a shard while it changes: they are read until nobody new is found. */
const MAX_PASSES = 4

/** The rule names more people than its cap. */
export class CapError extends Error {}

type Parts = Pick<MirrorContext, 'source' | 'clock' | 'signal'>

/** The people whom a rule names now. Throws a CapError, and whatever the source or the file fails with. */
export async function membersOf(parts: Parts, rule: MirrorRule): Promise<ReadonlySet<number>> {
  const people = new People(rule.cap || USUAL_CAP)
  if (rule.kind === 'fid') return new Set(rule.value.split(',').map(Number))
  if (rule.kind === 'file') await readFile(parts, rule.value, people)
  if (rule.kind === 'followers-of') await readFollowers(parts, Number(rule.value), people)
  if (rule.kind === 'following-of') await readFollowed(parts, Number(rule.value), people)
  if (rule.kind === 'members-of') await readPosters(parts, rule.value, people)
  return people.fids
}

class People {
  readonly fids = new Set<number>()
  readonly #cap: number

  constructor(cap: number) {
    this.#cap = cap
  }

  add(fid: number): void {
    this.fids.add(fid)
    if (this.fids.size > this.#cap) {
      throw new CapError(`it names more than ${this.#cap} people: nobody is added (maxPeople)`)
    }
  }
}

/** A fid or a name in a line; what comes after # is a comment. */
async function readFile({ source }: Parts, path: string, people: People): Promise<void> {
  const lines = createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  for await (const line of lines) {
    const text = line.replace(/#.*/, '').trim()
    if (text === '') continue
    const isFid = /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) < 2 ** 32
    const fid = isFid ? Number(text) : await source.fidOf(parseName(text.replace(/^@/, '')))
    if (fid) people.add(fid)
  }
}

async function readFollowers(parts: Parts, fid: number, people: People): Promise<void> {
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const before = people.fids.size
    const seen = new HashSet()
    for await (const page of parts.source.followers(fid, FOLLOW)) {
      parts.signal.throwIfAborted()
      if (!addAuthors(page, seen, people)) break
    }
    if (pass > 1 && people.fids.size === before) return
  }
}

/** Returns whether a page has a message that was not seen: lists of all shards begin again when they are over. */
function addAuthors(page: readonly Uint8Array[], seen: HashSet, people: People): boolean {
  const before = seen.size
  for (const message of page) {
    seen.add(hashOfMessage(message))
    people.add(fidOfMessage(message))
  }
  return seen.size > before
}

async function readFollowed({ source }: Parts, fid: number, people: People): Promise<void> {
  for await (const page of source.messages('GetAllLinkMessagesByFid', fid)) {
    for (const message of page) {
      const { body, type } = decodeMessage(message).data
      if (type === MessageType.LINK_ADD && body.case === 'linkBody' && body.value.type === FOLLOW) {
        people.add(Number(body.value.target.value ?? 0n))
      }
    }
  }
  for await (const page of source.messages('GetLinkCompactStateMessageByFid', fid)) {
    for (const message of page) {
      const { body } = decodeMessage(message).data
      if (body.case !== 'linkCompactStateBody' || body.value.type !== FOLLOW) continue
      for (const target of body.value.targetFids) people.add(Number(target))
    }
  }
}

async function readPosters(parts: Parts, url: string, people: People): Promise<void> {
  const oldest = networkTime(parts.clock.now()) - MEMBER_SECONDS
  const seen = new HashSet()
  for await (const page of parts.source.castsOf(url)) {
    parts.signal.throwIfAborted()
    const recent = page.filter((message) => decodeMessage(message).data.timestamp >= oldest)
    const isNew = addAuthors(recent, seen, people)
    if (!isNew) return
  }
}
