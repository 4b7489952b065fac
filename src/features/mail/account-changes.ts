import type { Ports } from '../../kernel/ports.ts'
import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  SignerEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import { PUSHES } from '../push/port.ts'
import { MOVED_BY_MAIL } from '../recovery/port.ts'
import { forgetAddress } from './present-address.ts'
import { addMail } from './queue.ts'
import { mailAddressRows } from './tables/addresses.ts'

// Who holds an account is told, by mail and on devices, when somebody else may write for it or has it.

type Context = Pick<Ports, 'find'> & {
  readonly publicUrl: string
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

type Change = { readonly title: string; readonly body: string }

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
      const { title, body } = change
      const button = { label: 'My account', url: `${context.publicUrl}/account` }
      const content = { subject: title, paragraphs: [body], button }
      const left = await leaveAddress(tx, context, event)
      if (left)
        await addMail(tx, { fid, address: left, kind: 'security', content }, context.nowMs())
      const notice = { fid, kind: 'account', title, body, url: '/account', mail: content } as const
      await pushes?.notify(tx, notice, context.nowMs())
    }
  }
}

/**
 * An address counts while the account belongs to who has named it, or comes back to them by it. Returns the address that the account
 * has lost with its owner.
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
    return
  }
  await forgetAddress(tx, row)
  return row.address
}

function changeOf({ body }: OnChainEvent): Change | undefined {
  if (body.case === 'signerEventBody' && body.value.eventType === SignerEventType.ADD) {
    return {
      title: 'A new device or app may write for you',
      body: `It has the key ${toHex(body.value.key)}. If that was not you, remove it under “My account”, Devices and apps.`,
    }
  }
  if (body.case !== 'idRegisterEventBody') return undefined
  const { eventType, to } = body.value
  if (eventType === IdRegisterEventType.TRANSFER) {
    return {
      title: 'Your account belongs to another key',
      body: `It is ${toHex(to)}. Whoever has it decides about the account from now on. If that is not you, ask the people who run this server.`,
    }
  }
  if (eventType === IdRegisterEventType.CHANGE_RECOVERY) {
    return {
      title: 'Somebody else may recover your account',
      body: 'The recovery address of your account was changed. If that was not you, somebody else has the key of your account: move it to another one under “My account”.',
    }
  }
  return undefined
}
