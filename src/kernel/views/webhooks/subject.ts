// What a waiting delivery is about, stored as JSON: enough to render the payload when it is sent, also when the
// message has left the store meanwhile. Hashes are 0x hex, times network seconds.

import { fromBase64, toBase64 } from '../../protocol/codec/bytes.ts'
import { dataWithoutBody } from '../../protocol/codec/without-content.ts'

export type Subject =
  /** Begins with kind and fid, by which the deliveries about an author are found. */
  | {
      readonly kind: 'cast'
      readonly fid: number
      readonly hash: string
      readonly timestamp: number
      /** Who signed it, in 0x hex. */
      readonly signer: string
      /** The data bytes of the CastAdd, in base64. */
      readonly data: string
    }
  | {
      readonly kind: 'follow'
      readonly fid: number
      readonly targetFid: number
      readonly timestamp: number
    }
  | {
      readonly kind: 'reaction'
      readonly fid: number
      /** 1: like, 2: recast. */
      readonly type: number
      readonly targetFid: number
      readonly targetHash: string
      readonly timestamp: number
    }
  | { readonly kind: 'user'; readonly fid: number }

/** The subject of a cast whose author was erased: who wrote it, when, and its hash. */
export function erasedSubject(text: string): string {
  const subject = JSON.parse(text) as Subject & { kind: 'cast' }
  const data = toBase64(dataWithoutBody(fromBase64(subject.data)!))
  return JSON.stringify({ ...subject, data } satisfies Subject)
}

/** How the JSON of every subject about a cast of this author begins. */
export const castSubjectStart = (fid: number): string => `{"kind":"cast","fid":${fid},`
