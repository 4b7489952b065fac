import { setTimeout as delay } from 'node:timers/promises'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import {
  type CastId,
  type MessageData,
  MessageType,
} from '../../../kernel/protocol/wire/message_pb.js'
import { fromStored } from '../../../kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../../../kernel/storage/messages/messages.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import { type MirrorContext, writeAsLeader } from '../context.ts'
import { type MirrorFid, mirrorRows } from '../tables/mirror.ts'
import {
  type MirrorContextCast,
  type MirrorContextRow,
  mirrorContextRows,
} from '../tables/mirror-context.ts'
import { newPerson } from './new-person.ts'

// What casts of chosen people refer to: the casts that they answer and quote, and the people in them.

const SCANNED_AT_ONCE = 200
const IDLE_MS = 1_000
/** Beyond it nothing more is noted; the status says so. */
export const MAX_CONTEXT = 1_000_000
/** The id of the last message whose context was noted. */
const CURSOR = 'mirror-context'

const NOBODY = new Uint8Array(0)

/** A cast, and for whom its context is kept. `above`: how many casts above it may be read. */
export type CastOf = {
  readonly whose: number
  readonly data: Pick<MessageData, 'body'>
  readonly above: number
  readonly isQuoting: boolean
}

/** For as long as this process leads: notes the context of casts of chosen people, in the order in which they are stored. */
export async function followContext(context: MirrorContext): Promise<void> {
  const { storage, signal, clock, contextDepth } = context
  let cursor = Number((await storage.cursors.get(CURSOR)) ?? 0)
  let written = cursor
  while (!signal.aborted) {
    const rows = await storage.messages.scan(cursor, SCANNED_AT_ONCE)
    const casts = rows.filter(({ type }) => type === MessageType.CAST_ADD)
    cursor = rows.at(-1)?.id ?? cursor
    if (casts.length > 0 || (rows.length < SCANNED_AT_ONCE && cursor > written)) {
      await writeAsLeader(context, async (tx) => {
        await noteContext(tx, await chosenCasts(tx, casts, contextDepth), clock.now())
        await tx.cursors.put(CURSOR, String(cursor))
      })
      written = cursor
    }
    const waitMs = rows.length < SCANNED_AT_ONCE ? IDLE_MS : 0
    await delay(waitMs, undefined, { signal }).catch(() => {})
  }
}

/** Called in the transaction that notes the context. Otherwise somebody could be erased in between and their context stay. */
async function chosenCasts(
  tx: Writer,
  casts: readonly StoredMessage[],
  above: number,
): Promise<CastOf[]> {
  const people = await tx.of(mirrorRows).fids(casts.map(({ fid }) => fid))
  const chosen = new Set(people.filter(isChosen).map(({ fid }) => fid))
  return casts.filter(({ fid }) => chosen.has(fid)).map((row) => ofChosen(row, above))
}

const ofChosen = (row: StoredMessage, above: number): CastOf => ({
  whose: row.fid,
  data: fromStored(row).data,
  above,
  isQuoting: true,
})

const isChosen = ({ state }: MirrorFid): boolean =>
  state !== 'frozen' && state !== 'context' && state !== 'erasing'

/** Notes the context of the casts that are stored of somebody who was context and is chosen now. */
export async function noteContextOf(context: MirrorContext, fid: number): Promise<void> {
  const { storage, contextDepth, clock } = context
  const noted = await storage.of(mirrorContextRows).castsOf(fid, MAX_CONTEXT)
  for (let at = 0; at < noted.length; at += SCANNED_AT_ONCE) {
    const some = noted.slice(at, at + SCANNED_AT_ONCE)
    const rows = (
      await Promise.all(some.map(({ hash }) => storage.messages.castByHash(hash)))
    ).flatMap((row) => (row?.fid === fid ? [row] : []))
    const casts = rows.map((row) => ofChosen(row, contextDepth))
    await writeAsLeader(context, (tx) => noteContext(tx, casts, clock.now()))
  }
}

/** Casts of somebody who is chosen are mirrored anyway, and context no more. */
export async function dropContextCasts(tx: Writer, fid: number): Promise<void> {
  await tx
    .of(mirrorContextRows)
    .removeCasts(await tx.of(mirrorContextRows).castsOf(fid, MAX_CONTEXT))
}

/** Notes what casts refer to, and has it read. What is by chosen people is mirrored anyway. */
export async function noteContext(
  tx: Writer,
  casts: readonly CastOf[],
  now: number,
): Promise<void> {
  const found = contextOf(casts)
  const fids = [...new Set(found.rows.map(({ fid }) => fid))]
  if (fids.length === 0 || (await tx.of(mirrorContextRows).count()) >= MAX_CONTEXT) return
  const known = await tx.of(mirrorRows).fids(fids)
  const chosen = new Set(known.filter(isChosen).map(({ fid }) => fid))
  const isOther = ({ fid }: { readonly fid: number }) => !chosen.has(fid)
  const toRead = await tx
    .of(mirrorContextRows)
    .note(found.rows.filter(isOther), found.casts.filter(isOther))
  const others = fids.filter((fid) => !chosen.has(fid))
  const frozen = new Set(known.filter(({ state }) => state === 'frozen').map(({ fid }) => fid))
  const asContext = (fid: number) => ({ ...newPerson(fid, now), state: 'context' as const })
  await tx.of(mirrorRows).putFids(others.filter((fid) => frozen.has(fid)).map(asContext))
  await tx.of(mirrorRows).insertNewFids(others.map(asContext))
  await tx.of(mirrorRows).setDue(
    toRead.map(({ fid }) => fid),
    now,
  )
}

/** Each cast, and each person of whom nothing else is wanted, once for each chosen person. */
function contextOf(casts: readonly CastOf[]) {
  const rows = new Map<string, MirrorContextRow>()
  const wanted = new Map<string, MirrorContextCast>()
  for (const { whose, data, above, isQuoting } of casts) {
    if (data.body.case !== 'castAddBody') continue
    const { parent, embeds, mentions } = data.body.value
    const add = (id: CastId, left: number) => {
      const [fid, key] = [Number(id.fid), `${id.fid} ${toHex(id.hash)}`]
      rows.set(`${key} ${whose}`, { fid, hash: id.hash, whose })
      if ((wanted.get(key)?.above ?? -1) >= left) return
      wanted.set(key, { fid, hash: id.hash, state: 'waiting', above: left })
    }
    if (parent.case === 'parentCastId' && above > 0) add(parent.value, above - 1)
    for (const { embed } of isQuoting ? embeds : [])
      if (embed.case === 'castId') add(embed.value, 0)
    for (const one of mentions) {
      rows.set(`${one} ${whose}`, { fid: Number(one), hash: NOBODY, whose })
    }
  }
  return { rows: [...rows.values()], casts: [...wanted.values()] }
}
