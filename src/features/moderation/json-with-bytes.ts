import { PartedBody } from '../../kernel/http/parted-body.ts'

/** Three bytes become four characters of base64. */
const BASE64_GROUP_BYTES = 3
const base64Length = (bytes: number): number => Math.ceil(bytes / BASE64_GROUP_BYTES) * 4

/** JSON with its one empty `data` filled with bytes in base64, which are read while it is sent. */
export function jsonWithBytes(
  value: object,
  length: number,
  read: () => AsyncGenerator<Uint8Array>,
): PartedBody {
  const text = JSON.stringify(value)
  const marker = '"data":"'
  const at = text.indexOf(`${marker}"`) + marker.length
  const [head, tail] = [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))]
  return new PartedBody(head.length + base64Length(length) + tail.length, async function* () {
    yield* base64Parts(head, read())
    yield tail
  })
}

/** The head and the first bytes are one part: nothing is sent of what cannot be read. */
async function* base64Parts(head: Buffer, parts: AsyncGenerator<Uint8Array>) {
  let before: Uint8Array = head
  let rest: Uint8Array = Buffer.alloc(0)
  for await (const part of parts) {
    const bytes = Buffer.concat([rest, part])
    const whole = bytes.length - (bytes.length % BASE64_GROUP_BYTES)
    rest = bytes.subarray(whole)
    yield Buffer.concat([before, Buffer.from(bytes.toString('base64', 0, whole))])
    before = Buffer.alloc(0)
  }
  yield Buffer.concat([before, Buffer.from(Buffer.from(rest).toString('base64'))])
}
