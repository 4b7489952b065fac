import { fromBinary } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { checksumAddress } from '../../kernel/protocol/crypto/address-checksum.ts'
import { MESSAGE_SETS, userDataSlot } from '../../kernel/protocol/slots.ts'
import {
  MessageDataSchema,
  MessageType,
  Protocol,
  UserDataType,
} from '../../kernel/protocol/wire/message_pb.js'
import type { Reader } from '../../kernel/storage/storage.ts'

// The primary address of a user: the one that the profile names, else the one that was verified last.

export const PROTOCOLS = ['ethereum', 'solana'] as const
export type AddressProtocol = (typeof PROTOCOLS)[number]

/** Verifications of a user that are looked at for one of the protocol, newest first. */
export const MAX_VERIFICATIONS = 100

const ENTRIES = {
  ethereum: UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
  solana: UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
} as const

/** The primary address of each fid that has one. */
export async function primaryAddresses(
  { published: { messages } }: Pick<Reader, 'published'>,
  fids: readonly number[],
  protocol: AddressProtocol,
): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (const { fid, data } of await messages.bySlots(
    fids.map((fid) => userDataSlot(fid, ENTRIES[protocol])),
  )) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case === 'userDataBody' && body.value.value) found.set(fid, body.value.value)
  }
  const others = fids.filter((fid) => !found.has(fid))
  await Promise.all(
    others.map(async (fid) => {
      const address = await newestVerified(messages, fid, protocol)
      if (address !== undefined) found.set(fid, address)
    }),
  )
  return found
}

async function newestVerified(
  { listByFid }: Reader['published']['messages'],
  fid: number,
  protocol: AddressProtocol,
): Promise<string | undefined> {
  const { items } = await listByFid(
    {
      fid,
      store: MESSAGE_SETS.verifications,
      types: [MessageType.VERIFICATION_ADD_ETH_ADDRESS],
    },
    { size: MAX_VERIFICATIONS, reverse: true },
  )
  const wanted = protocol === 'solana' ? Protocol.SOLANA : Protocol.ETHEREUM
  for (const { data } of items) {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case !== 'verificationAddAddressBody' || body.value.protocol !== wanted) continue
    const { address } = body.value
    return protocol === 'solana' ? base58.encode(address) : checksumAddress(toHex(address))
  }
  return undefined
}
