import { toHex } from '../../protocol/codec/bytes.ts'

/** The name of a gasless key that only a mirrored hub says this person has. */
export const vouchedKey = (fid: number, key: Uint8Array): string => `${fid} ${toHex(key)}`
