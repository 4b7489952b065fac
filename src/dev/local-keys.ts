import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Services } from '../app.ts'
import { keyAdded, sealBlock } from '../kernel/accounts/events.ts'
import { MAX_IMPORT_BLOCK } from '../kernel/accounts/import.ts'
import { ED25519_KEY_TYPE, newestBlock } from '../kernel/accounts/on-chain-events.ts'
import { unixSeconds } from '../kernel/base/clock.ts'
import { concatBytes, equalBytes, toUtf8 } from '../kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../kernel/protocol/crypto/ed25519.ts'
import { EventLog } from '../kernel/storage/messages/event-log.ts'

// Keys with which a fork writes for accounts of its source. Everybody may know them. No other network does: what adds them is
// an event of a chain that does not exist, and has the signature of nobody.

/** "fork" in ASCII: no chain has this id, and no hub takes events of it. */
const FORK_CHAIN_ID = 0x666f726b

type LocalKey = { readonly seed: Uint8Array; readonly key: Uint8Array }

const made = new Map<number, LocalKey>()

export function localKey(fid: number): LocalKey {
  const known = made.get(fid)
  if (known) return known
  const seed = keccak_256(concatBytes(toUtf8(`rookery fork key of ${fid}`)))
  const own = { seed, key: publicKeyOf(seed) }
  made.set(fid, own)
  return own
}

export const isLocalKey = (fid: number, key: Uint8Array): boolean =>
  equalBytes(localKey(fid).key, key)

/** Lets the local key of an account sign for it here. */
export async function addLocalKey(
  { storage, clock, mergeEvents }: Pick<Services, 'storage' | 'clock' | 'mergeEvents'>,
  fid: number,
): Promise<LocalKey> {
  const own = localKey(fid)
  const held = await storage.accounts.signer(fid, own.key)
  if (held?.active) return own
  const metadata = new Uint8Array(0)
  const added = keyAdded(fid, {
    key: own.key,
    keyType: ED25519_KEY_TYPE,
    metadata,
    metadataType: 1,
  })
  await storage.writeShared('hub', async (tx) => {
    // Where no event of the source can be: an event is known by its place, whatever its chain.
    const blockNumber = Math.max(await newestBlock(tx), MAX_IMPORT_BLOCK) + 1
    const place = { chainId: FORK_CHAIN_ID, blockNumber }
    const events = sealBlock([added], { ...place, timestamp: unixSeconds(clock) })
    const log = new EventLog(tx, clock.now())
    await mergeEvents(tx, log, events, {})
    await log.flush()
  })
  return own
}
