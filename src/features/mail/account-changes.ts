import type { Say } from '../../kernel/http/translator.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import type { Ports } from '../../kernel/ports.ts'
import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { firstEventIdAt } from '../../kernel/protocol/event-id.ts'
import { keyOfSlot } from '../../kernel/protocol/kinds/gasless-key.ts'
import { HOUR_MS, SECOND_MS, unixMsOf } from '../../kernel/protocol/time.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  SignerEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { AppApi } from '../app-api/port.ts'
import { type AccountNotice, PUSHES } from '../push/port.ts'
import { MOVED_BY_MAIL } from '../recovery/port.ts'
import { forgetAddress } from './present-address.ts'
import type { MailQueue } from './queue.ts'
import { mailAddressRows } from './tables/addresses.ts'

// Who holds an account is told, by mail and on devices, when somebody else may write for it or has it. While the server sends no mail
// devices are told alone, and an address leaves the account as it always does.

type Context = Pick<Ports, 'find'> & {
  readonly publicUrl: string
  readonly queue: Pick<MailQueue, 'add'>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

type Change = {
  readonly texts: AccountNotice['texts']
  /** Where the button leads; to the account unless given. */
  readonly signIn?: true
}

/** Makes the function that is called with each on-chain event, in the transaction that brings it. */
export function accountChanges(context: Context) {
  return async (tx: Writer, events: readonly OnChainEvent[]): Promise<void> => {
    const changes = events.flatMap((event) => {
      const change = changeOf(event)
      return change ? [{ fid: Number(event.fid), event, change }] : []
    })
    if (changes.length === 0) return
    const pushes = context.find(PUSHES)
    const fids = [...new Set(changes.map(({ fid }) => fid))]
    const rows = await tx.of(mailAddressRows).ofFids(fids)
    const reached = (await pushes?.fidsWithDevices(tx, fids)) ?? new Set<number>()
    for (const { fid } of rows) reached.add(fid)
    for (const { fid, event, change } of changes.filter((one) => reached.has(one.fid))) {
      const left = await leaveAddress(tx, context, event)
      const notice = noticeOf(context, fid, left === 'comes back' ? BACK : change)
      const { mail: content } = notice
      if (left && left !== 'comes back')
        await context.queue.add(
          tx,
          { fid, address: left, kind: 'security', content },
          context.nowMs(),
        )
      await pushes?.tell(tx, notice, context.nowMs())
    }
  }
}

const EVERY_MS = SECOND_MS
/** Of one step. The hub takes one of an account a minute. */
const MAX_KEYS = 100
/** A key that is older is no news: it comes late from another server, or this one was not running. */
const MAX_AGE_MS = HOUR_MS
/** Up to which event keys were told. */
const CURSOR = 'new keys'

/**
 * Tells of keys that messages add, as every browser after the first gets its own. They are merged in a thread that knows no feature,
 * so this reads what was stored since, as far as the views are. A fresh account has neither an address nor a device to be told.
 */
export function keysJob(
  context: Context & { readonly app: Pick<AppApi, 'storage' | 'views'> },
): Job {
  const { storage, views } = context.app
  /** Up to which this process has read; the stored position moves only with what is told. */
  let readUpTo = 0
  return {
    name: 'tell of new keys',
    scope: 'leader',
    everyMs: EVERY_MS,
    firstAfterMs: EVERY_MS,
    async run({ signal, lease }) {
      const state = views.state()
      if (state.status !== 'ready' || state.cursor === readUpTo) return
      // A reset may begin a new log.
      if (readUpTo > state.cursor) readUpTo = 0
      const oldest = context.nowMs() - MAX_AGE_MS
      const stored = Number((await storage.cursors.get(CURSOR)) ?? 0)
      let after = Math.max(stored, readUpTo, firstEventIdAt(oldest))
      for (;;) {
        signal.throwIfAborted()
        const ids = await storage.gaslessKeys.added(after, state.cursor, MAX_KEYS)
        if (ids.length === 0) break
        after = ids.at(-1)!
        const added = (await storage.messages.byIds(ids)).filter(
          ({ timestamp }) => unixMsOf(timestamp) >= oldest,
        )
        const locks = [...new Set(added.map(({ fid }) => fid))].map((fid) => `fid/${fid}` as const)
        await storage.write([...locks, 'all/mails'], async (tx) => {
          if (lease) await checkLease(tx, lease)
          for (const { fid, slot } of added) {
            const notice = noticeOf(context, fid, newKey(keyOfSlot(slot)))
            await context.find(PUSHES)?.tell(tx, notice, context.nowMs())
          }
          await tx.cursors.put(CURSOR, String(after))
        })
      }
      readUpTo = state.cursor
    },
  }
}

/**
 * An address counts while the account belongs to who has named it, or comes back to them by it. Returns the address that the account
 * has lost with its owner, or that it comes back.
 */
async function leaveAddress(
  tx: Writer,
  { find }: Context,
  { fid: id, body }: OnChainEvent,
): Promise<string | undefined> {
  if (body.case !== 'idRegisterEventBody') return undefined
  const { eventType, to } = body.value
  const fid = Number(id)
  const rows = tx.of(mailAddressRows)
  const row = await rows.find(fid)
  if (eventType !== IdRegisterEventType.TRANSFER || !row || equalBytes(to, row.custody)) return
  // It comes with the account only where the move came by this very address, not by one that it has replaced since.
  const askedAt = await find(MOVED_BY_MAIL)?.(tx, { fid, receiver: to })
  if (askedAt !== undefined && row.confirmed_at < (askedAt + 1) * SECOND_MS) {
    // What the earlier owner wanted to change does not follow the account.
    await rows.removeChange(fid)
    await rows.removeLinks(fid, 'change')
    await rows.moveTo(fid, to)
    return 'comes back'
  }
  await forgetAddress(tx, row)
  return row.address
}

/** A move that began with a link in a mail is done. */
const BACK: Change = {
  texts: (say) => ({
    title: say('You have your account back'),
    body: say(
      'It belongs to your new words: sign in with them. If you have not asked for that, somebody else reads your mail and has the account: ask the people who run this server.',
    ),
  }),
  signIn: true,
}

const newKey = (key: Uint8Array): Change => ({
  texts: (say) => ({
    title: say('A new device or app may write for you'),
    body: say(
      'It has the key {key}. If that was not you, remove it under “My account”, Devices and apps.',
      { key: toHex(key) },
    ),
  }),
})

const noticeOf = ({ publicUrl }: Context, fid: number, { texts, signIn }: Change) => {
  const url = signIn ? '/join/sign-in?recovered' : '/account'
  const mail = (say: Say) => {
    const { title: subject, body } = texts(say)
    const label = signIn ? say('Sign in') : say('My account')
    return { subject, paragraphs: [body], button: { label, url: publicUrl + url } }
  }
  return { fid, texts, url, mail } satisfies AccountNotice
}

function changeOf({ body }: OnChainEvent): Change | undefined {
  if (body.case === 'signerEventBody' && body.value.eventType === SignerEventType.ADD) {
    return newKey(body.value.key)
  }
  if (body.case !== 'idRegisterEventBody') return undefined
  const { eventType, to } = body.value
  if (eventType === IdRegisterEventType.TRANSFER) {
    return {
      texts: (say) => ({
        title: say('Your account belongs to another key'),
        body: say(
          'It is {key}. Whoever has it decides about the account from now on. If that is not you, ask the people who run this server.',
          { key: toHex(to) },
        ),
      }),
    }
  }
  if (eventType === IdRegisterEventType.CHANGE_RECOVERY) {
    return {
      texts: (say) => ({
        title: say('Somebody else may recover your account'),
        body: say(
          'The recovery address of your account was changed. If that was not you, somebody else has the key of your account: move it to another one under “My account”.',
        ),
      }),
    }
  }
  return undefined
}
