import { fromBinary } from '@bufbuild/protobuf'
import { messageJson, nameProofJson, onChainEventJson } from '../../kernel/protocol/json/json.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { UserNameType } from '../../kernel/protocol/wire/message_pb.js'
import {
  OnChainEventSchema,
  OnChainEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import { fromStored } from '../../kernel/storage/messages/message-rows.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { RecordedAccount } from './fork-file.ts'
import type { ForkContext } from './read-account.ts'
import { forkAccountRows } from './tables/fork-accounts.ts'

type Item = RecordedAccount['items'][number]

const PAGE = 1_000
/** An account is read with fewer; some were written here. */
const MAX_PAGES = 20
const EVENTS = [
  OnChainEventType.EVENT_TYPE_ID_REGISTER,
  OnChainEventType.EVENT_TYPE_SIGNER,
  OnChainEventType.EVENT_TYPE_STORAGE_RENT,
]
const SETS = ['userData', 'verifications', 'links', 'casts', 'reactions'] as const

type Recorded = Pick<ForkContext, 'storage' | 'isLocalKey'>

/** What the fork keeps of the source's next account, without what was written here. */
export async function recordedAfter(
  context: Recorded,
  after: number,
): Promise<Omit<RecordedAccount, 'network'>> {
  const { storage } = context
  const row = await storage.of(forkAccountRows).after(after)
  if (!row) return { items: [] }
  const { fid } = row
  const items: Item[] = [...(await eventsOf(context, fid)), ...(await namesOf(storage, fid))]
  for (const list of SETS) {
    const messages = await messagesOf(storage, fid, MESSAGE_SETS[list])
    for (const message of messages) {
      if (context.isLocalKey(fid, message.signer)) continue
      items.push({ list, item: messageJson(fromStored(message)) })
    }
  }
  return { fid, items }
}

async function eventsOf({ storage, isLocalKey }: Recorded, fid: number): Promise<Item[]> {
  const pages = EVENTS.map((type) => storage.accounts.listEvents(fid, type, { size: PAGE }))
  const events = (await Promise.all(pages)).flatMap(({ items }) =>
    items.map(({ body }) => fromBinary(OnChainEventSchema, body)),
  )
  return events
    .filter(({ body }) => body.case !== 'signerEventBody' || !isLocalKey(fid, body.value.key))
    .map((event) => ({ list: 'chainEvents' as const, item: onChainEventJson(event) }))
}

async function namesOf({ nameProofs }: Storage, fid: number): Promise<Item[]> {
  return (await nameProofs.byFid(fid)).map((proof) => ({
    list: 'names' as const,
    item: nameProofJson({
      ...proof,
      timestamp: BigInt(proof.timestamp),
      fid: BigInt(proof.fid),
      type: UserNameType.USERNAME_TYPE_FNAME,
    }),
  }))
}

async function messagesOf(
  { messages }: Storage,
  fid: number,
  store: number,
): Promise<StoredMessage[]> {
  const found: StoredMessage[] = []
  let token: Uint8Array | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, next } = await messages.listByFid(
      { fid, store },
      { size: PAGE, ...(token && { token }) },
    )
    found.push(...items)
    if (next === undefined) return found
    token = next
  }
  return found
}
