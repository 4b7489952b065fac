import { Rejection } from '../../protocol/rejection.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Head } from './examination.ts'
import { checkSigner } from './merge.ts'

type Sender = Pick<Head, 'fid' | 'signer' | 'timestamp'>

/** Throws a Rejection unless the fid is registered, the signer is an active key of it, and moderation allows its messages. */
export async function checkSender(
  { accounts }: Pick<Reader, 'accounts'>,
  { fid, signer, timestamp }: Sender,
): Promise<void> {
  const [status] = await accounts.signerStatuses([{ fid, key: signer }])
  checkSigner(
    {
      isRegistered: () => status?.registered === true,
      isActiveKey: () => status?.active === true,
      moderation: () => status?.moderation,
    },
    { fid, signer, timestamp },
  )
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
  reader: Pick<Reader, 'accounts'>,
  refusal: Rejection,
  sender: Sender | undefined,
): Promise<Rejection> {
  if (!sender || !ABOUT_CONTENT.has(refusal.code) || BEFORE_SENDER.has(refusal.field)) {
    return refusal
  }
  try {
    await checkSender(reader, sender)
    return refusal
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}
