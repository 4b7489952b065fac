import { toHex } from '../../protocol/codec/bytes.ts'

/** Keys that only a mirrored hub says people have, as `vouchedKey` names them; `all`: whatever it takes is believed. */
export type Vouched = ReadonlySet<string> | 'all'

export const vouchedKey = (fid: number, key: Uint8Array): string => `${fid} ${toHex(key)}`

export const isVouchedFor = (vouched: Vouched | undefined, fid: number, key: Uint8Array): boolean =>
  vouched === 'all' || (vouched?.has(vouchedKey(fid, key)) ?? false)
