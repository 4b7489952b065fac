import { decodeMessage } from '../../../kernel/protocol/codec/decode.ts'
import { castSlot } from '../../../kernel/protocol/slots.ts'
import type { Applier } from '../apply.ts'
import { type MirrorContext, writeAsLeader } from '../context.ts'
import { HashSet } from '../hash-set.ts'
import type { Refused } from '../quarantine.ts'
import { fidOfMessage, hashOfMessage } from '../source/events.ts'
import { type MirrorContextCast, mirrorContextRows } from '../tables/mirror-context.ts'
import { noteContext } from './cast-context.ts'

/** Casts of one author that are read in one comparison; the others are read in the next. */
const MAX_CASTS = 1_000
const ASKED_AT_ONCE = 8

export type ContextCasts = { readonly refused: readonly Refused[]; readonly isMore: boolean }
export const NO_CASTS: ContextCasts = { refused: [], isMore: false }

type Asked = { readonly cast: MirrorContextCast; readonly message: Uint8Array | undefined }

/**
 * Reads the casts of a person that are context, removes those that the source does not have any more, and notes what they
 * answer. Returns what was refused, and whether there are more that were never read.
 */
export async function readContextCasts(
  context: MirrorContext,
  applier: Applier,
  { fid, mark }: { readonly fid: number; readonly mark: number },
): Promise<ContextCasts> {
  const { storage, clock, hub, lease } = context
  const casts = await storage.of(mirrorContextRows).castsOf(fid, MAX_CASTS)
  const asked = await askFor(context, casts)
  const messages = asked.flatMap(({ message }) => message ?? [])
  const { refused } = await applier.merge(fid, messages)
  const missing = asked.filter(({ message }) => !message)
  const steps = missing.map(({ cast: { hash } }) => ({
    remove: { fid, slot: castSlot(fid, hash), hash, reason: 'revoke' as const, maxId: mark },
  }))
  if (steps.length > 0) await hub.mirror(steps, { lease })
  const here = new HashSet()
  const slots = casts.map(({ hash }) => castSlot(fid, hash))
  for (const { hash } of await storage.messages.bySlots(slots)) here.add(hash)
  await writeAsLeader(context, async (tx) => {
    const states = casts.map(({ hash }) => {
      const state = here.has(hash) ? ('stored' as const) : ('missing' as const)
      return { fid, hash, state }
    })
    await tx.of(mirrorContextRows).putStates(states)
    const read = asked.filter(({ cast, message }) => message && here.has(cast.hash))
    const whose = await tx.of(mirrorContextRows).whoseOf(read.map(({ cast }) => cast))
    const further = read.flatMap(({ cast, message }) => {
      const { data } = decodeMessage(message!)
      const { above } = cast
      return whose
        .filter(({ hash }) => Buffer.compare(hash, cast.hash) === 0)
        .map((one) => ({ whose: one.whose, data, above, isQuoting: false }))
    })
    await noteContext(tx, further, clock.now())
  })
  const isMore = casts.length === MAX_CASTS && casts.at(-1)!.state === 'waiting'
  return { refused, isMore }
}

async function askFor(
  { source, signal }: MirrorContext,
  casts: readonly MirrorContextCast[],
): Promise<Asked[]> {
  const asked: Asked[] = []
  for (let at = 0; at < casts.length; at += ASKED_AT_ONCE) {
    const some = casts.slice(at, at + ASKED_AT_ONCE)
    const found = await Promise.all(
      some.map(async (cast) => {
        const message = await source.cast(cast.fid, cast.hash)
        return { cast, message: message && isOf(message, cast) ? message : undefined }
      }),
    )
    asked.push(...found)
    signal.throwIfAborted()
  }
  return asked
}

/** Another message than the one that was asked for is none. */
const isOf = (message: Uint8Array, { fid, hash }: MirrorContextCast): boolean =>
  fidOfMessage(message) === fid && Buffer.compare(hashOfMessage(message), hash) === 0
