import { fromBinary } from '@bufbuild/protobuf'
import { equalBytes } from '../protocol/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../protocol/eip712.ts'
import {
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import type { StoredChainEvent } from '../storage/accounts.ts'
import type { StoredMessage } from '../storage/messages.ts'
import type { Storage } from '../storage/storage.ts'

// Which app requested the key that signed a message. It never changes, so that it is remembered.

type Signed = Pick<StoredMessage, 'fid' | 'signer'>

/** Keys that are remembered, about 150 bytes each. */
const MAX_KEYS = 100_000
const MAX_FID = 2 ** 32 - 1

export type KeyApps = {
  /** Looks up the apps of keys that are not known yet, with at most one statement. */
  learn(signed: readonly Signed[]): Promise<void>
  /** The fid of the app; undefined when the key says none. To be learned before. */
  appOf(signed: Signed): number | undefined
  /** The keys of a user that this app requested. */
  keysOf(fid: number, app: number): Promise<Uint8Array[]>
}

export function createKeyApps({ accounts }: Pick<Storage, 'accounts'>): KeyApps {
  const known = new Map<string, number | undefined>()
  const remember = (key: string, app: number | undefined) => {
    if (known.size >= MAX_KEYS) known.delete(known.keys().next().value!)
    known.set(key, app)
  }
  const eventsOf = (fids: readonly number[]) =>
    accounts.eventsOf(fids.map((fid) => ({ fid, type: OnChainEventType.EVENT_TYPE_SIGNER })))

  return {
    async learn(signed) {
      const unknown = signed.filter((one) => !known.has(nameOf(one)))
      if (unknown.length === 0) return
      const added = (await eventsOf([...new Set(unknown.map(({ fid }) => fid))])).flatMap(addedKey)
      for (const one of unknown) {
        const event = added.find(({ fid, key }) => fid === one.fid && equalBytes(key, one.signer))
        remember(nameOf(one), event?.app)
      }
    },
    appOf: (signed) => known.get(nameOf(signed)),
    async keysOf(fid, app) {
      const added = (await eventsOf([fid])).flatMap(addedKey)
      return added.filter((one) => one.app === app).map(({ key }) => key)
    },
  }
}

const nameOf = ({ fid, signer }: Signed): string =>
  `${fid}/${Buffer.from(signer.buffer, signer.byteOffset, signer.length).toString('latin1')}`

function addedKey({ fid, body }: StoredChainEvent) {
  const event = fromBinary(OnChainEventSchema, body)
  if (event.body.case !== 'signerEventBody') return []
  const { eventType, key, metadata } = event.body.value
  if (eventType !== SignerEventType.ADD) return []
  const requester = decodeSignedKeyRequestMetadata(metadata)?.requestFid
  const isFid = requester !== undefined && requester >= 1n && requester <= BigInt(MAX_FID)
  return [{ fid, key, app: isFid ? Number(requester) : undefined }]
}
