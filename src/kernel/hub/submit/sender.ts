import type { Clock } from '../../base/clock.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { gaslessKeySlot, messageSetOf } from '../../protocol/slots.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Head } from './examination.ts'
import { checkSignerNow, readSenders } from './senders.ts'
import type { Vouched } from './vouched-key.ts'

type Sender = Pick<Head, 'fid' | 'signer' | 'timestamp' | 'type'>
type SenderReader = Pick<Reader, 'accounts' | 'messages' | 'gaslessKeys'>

/**
 * Throws a Rejection unless the fid is registered, the signer is an active key of it that may send this type, and moderation
 * allows its messages.
 */
export async function checkSender(
  reader: SenderReader,
  clock: Clock,
  { fid, signer, timestamp, type }: Sender,
  vouched?: Vouched,
): Promise<void> {
  const store = messageSetOf(type)
  const slot = gaslessKeySlot(signer)
  const row = { fid, signer, timestamp, type, store, slot }
  const { keyHolders, ...senders } = await readSenders(reader, [row], clock.now())
  checkSignerNow({ ...senders, holder: () => keyHolders[0] }, row, vouched)
}

/** Fields whose rules come before those of the sender. */
const BEFORE_SENDER: ReadonlySet<string | undefined> = new Set(['data.network', 'data.fid'])
const ABOUT_CONTENT: ReadonlySet<string> = new Set([
  'bad_request.validation_failure',
  'bad_request.invalid_param',
])

/**
 * Of several broken rules, returns the first in the order of deployed hubs: the network, then the fid and its key, then
 * the content.
 */
export async function firstBrokenRule(
  reader: SenderReader,
  clock: Clock,
  refusal: Rejection,
  sender: Sender | undefined,
  vouched?: Vouched,
): Promise<Rejection> {
  if (!sender || !ABOUT_CONTENT.has(refusal.code) || BEFORE_SENDER.has(refusal.field)) {
    return refusal
  }
  try {
    await checkSender(reader, clock, sender, vouched)
    return refusal
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}
