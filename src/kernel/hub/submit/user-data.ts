import { base58 } from '@scure/base'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { UserDataType } from '../../protocol/wire/message_pb.js'

/** The address bytes in a checked primary-address value; undefined for other types and when cleared. */
export function primaryAddressOf(type: UserDataType, value: string): Uint8Array | undefined {
  if (value === '') return undefined
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM) return fromHex(value)
  if (type === UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA) return base58.decode(value)
  return undefined
}
