// An account whose key an app has asked for, which clients that verify app keys look for.

import { encodeSignedKeyRequestMetadata } from '../src/kernel/protocol/crypto/key-request-metadata.ts'
import type { OnChainEvent } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import { bytes } from './hub-support.ts'
import { accountEvents, type TestAccount } from './world.ts'

/** The events of an account; the metadata of its key names the fid of the app. */
export function appAccountEvents(
  account: TestAccount,
  unixSeconds: number,
  appFid: number,
): OnChainEvent[] {
  const events = accountEvents(account, unixSeconds, 10)
  for (const { body } of events) {
    if (body.case !== 'signerEventBody') continue
    body.value.metadata = encodeSignedKeyRequestMetadata({
      requestFid: BigInt(appFid),
      requestSigner: account.custody,
      signature: bytes(65, 1),
      deadline: 2_000_000_000n,
    })
  }
  return events
}
